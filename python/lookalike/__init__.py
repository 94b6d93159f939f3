"""Near-duplicates and look-alikes."""
