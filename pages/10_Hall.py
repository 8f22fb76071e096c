"""What a phone in a hall is asked."""

from bertviz_core.ui.tour.phone import phone_page

phone_page()
