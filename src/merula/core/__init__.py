"""What every room may use: values, texts, diagnostics, files, workers. It imports no other room."""
