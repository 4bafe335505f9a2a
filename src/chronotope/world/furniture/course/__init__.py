"""How a person assembles a product: as the manual says, or with a mistake."""
