"""The only reader of replies: letters, values and open answers, in English and 14 other languages."""
