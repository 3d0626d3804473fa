"""Parts of the servers: what the studio and the view share. `README.md` in this folder lists them."""
