"""The guided tour: its stops on Home, and the bar that leads back from a stop's view."""
