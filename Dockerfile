# The app with torch's CPU build and the embedded model, for a user without rights and a root that
# is only read:
#
#   docker build -t bert-explorer .
#   docker run --read-only --tmpfs /tmp -v bert-cache:/cache -p 8501:8501 bert-explorer
#
# `make container` builds and tries it, with buildah where there is no Docker.
ARG PYTHON=3.11

FROM python:${PYTHON}-slim AS build
# Where torch's CPU build is: from PyPI it asks for several GB for graphics cards. Empty: where pip
# takes everything else from, if it is there.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
RUN python -m venv /venv
WORKDIR /src
COPY requirements.txt requirements.lock ./
RUN /venv/bin/python -m pip install --no-deps ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} \
    "$(grep '^torch==' requirements.txt)"
RUN /venv/bin/python -m pip install --no-deps --require-hashes -r requirements.lock
COPY . .
RUN /venv/bin/python -m pip install --no-deps --no-build-isolation .

FROM python:${PYTHON}-slim
COPY --from=build /venv /venv
# What took long to make, and models that somebody has downloaded: all that is written and kept. By
# any user: Hugging Face Spaces runs containers as user 1000.
RUN mkdir --mode=1777 /cache
VOLUME /cache
ENV PATH=/venv/bin:$PATH HOME=/tmp USER=bert HF_HOME=/cache PYTHONDONTWRITEBYTECODE=1
ENV STREAMLIT_SERVER_HEADLESS=true STREAMLIT_SERVER_ADDRESS=0.0.0.0 STREAMLIT_SERVER_PORT=8501
USER 10001:10001
WORKDIR /tmp
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", \
    "import os, urllib.request as web; web.urlopen('http://127.0.0.1:%s/_stcore/health' % os.environ['STREAMLIT_SERVER_PORT'], timeout=4)"]
CMD ["bert-explorer", "run"]
