"""What a design means before any lexeme is chosen: settings, items, cells, labels."""
