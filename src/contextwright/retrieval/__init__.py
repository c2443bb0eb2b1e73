"""What matters: lexical and vector scores, and their fusion."""
