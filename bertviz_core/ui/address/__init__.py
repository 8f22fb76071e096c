"""What the address holds: its keys, and the sentence that goes along from page to page."""
