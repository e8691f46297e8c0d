"""Which lexemes go together in a variant: slots, constraints, counts and addresses."""
