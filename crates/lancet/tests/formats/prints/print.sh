#!/bin/sh
# Prints each page of this folder with Chromium. The PDFs are kept beside their pages, so that the tests need no browser.
set -eu
cd "$(dirname "$0")"
for page in *.html; do
    chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf="${page%.html}.pdf" "file://$PWD/$page"
done
