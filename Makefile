# Two commands: `make lab` shows the lab at work on the bundled model, `make test` proves the
# checkout. Both need Deno 2.9 or npm, and nothing else.

DENO_VERSION := 2.9.6

# The Deno on the path where it is a 2.9, else one from npm, kept in .deno/. A machine without
# npm uses whatever Deno it has.
LOCAL_DENO := .deno/node_modules/.bin/deno
DENO := $(shell \
	if deno --version 2>/dev/null | grep -q '^deno 2\.9\.'; then command -v deno; \
	elif command -v npm >/dev/null 2>&1; then echo $(LOCAL_DENO); \
	elif command -v deno >/dev/null 2>&1; then command -v deno; \
	else echo $(LOCAL_DENO); fi)

.PHONY: lab test fuzz bench clean

lab: $(DENO)
	@$(DENO) task -q lab demo

test: $(DENO)
	@$(DENO) task -q test

fuzz bench: $(DENO)
	@$(DENO) task -q $@

$(LOCAL_DENO):
	@command -v npm >/dev/null 2>&1 || { \
		echo "lab: neither Deno nor npm is here; install one of the two" >&2; exit 2; }
	@mkdir -p .deno
	npm install --prefix .deno --no-save --no-audit --no-fund deno@$(DENO_VERSION)

clean:
	rm -rf .deno out
