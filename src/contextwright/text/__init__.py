"""Pure text: cuts, excerpts, sentences, identifiers. Knows neither blocks nor sessions."""
