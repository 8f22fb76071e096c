"""A file, sent to a server's upload route as a browser sends it."""

import urllib.parse
import urllib.request

LONGEST_WAIT = 120.0  # seconds


def put_file(address: str, name: str, content: bytes) -> None:
    """Send a file to the server's upload route, with what it wants against forged requests."""
    boundary = "----a-file-of-a-viewer"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: text/plain\r\n\r\n"
    )
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    request = urllib.request.Request(address, body, method="PUT")
    request.add_header("Content-Type", f"multipart/form-data; boundary={boundary}")
    parts = urllib.parse.urlsplit(address)
    with urllib.request.urlopen(f"{parts.scheme}://{parts.netloc}/_stcore/health") as answer:
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            if cookie.startswith("_streamlit_xsrf="):
                token = cookie.partition("=")[2].split(";")[0]
                request.add_header("Cookie", f"_streamlit_xsrf={token}")
                request.add_header("X-Xsrftoken", token)
    with urllib.request.urlopen(request, timeout=LONGEST_WAIT) as answer:
        answer.read()
