/** Examples of how a machine runs the nightly every night. */

export const SCHEDULES: Readonly<Record<string, string>> = {
  cron: `# crontab -e: every night at two; a line is mailed only where the run is red
MAILTO=maintainers@example.org
0 2 * * *  cd "$HOME/slm2-lab" && git pull -q --ff-only && deno task -q nightly --budget 7200 --quiet || echo "nightly is red: $?"
`,
  systemd: `# ~/.config/systemd/user/slm2-nightly.service
[Unit]
Description=The SLM2 lab's nightly run

[Service]
Type=oneshot
WorkingDirectory=%h/slm2-lab
ExecStartPre=git pull -q --ff-only
ExecStart=deno task -q nightly --budget 7200
TimeoutStartSec=3h
MemoryMax=8G

# ~/.config/systemd/user/slm2-nightly.timer
[Unit]
Description=Every night at two

[Timer]
OnCalendar=*-*-* 02:00
Persistent=true
RandomizedDelaySec=10m

[Install]
WantedBy=timers.target

# systemctl --user enable --now slm2-nightly.timer
`,
  github: `# .github/workflows/nightly.yml
name: nightly
on:
  schedule: [{ cron: "0 2 * * *" }]
  workflow_dispatch:
permissions:
  contents: read
  security-events: write
jobs:
  nightly:
    runs-on: ubuntu-latest
    timeout-minutes: 180
    steps:
      - uses: actions/checkout@v4
      - uses: denoland/setup-deno@v2
        with: { deno-version: v2.9.x }
      # the history is what tonight is held against
      - uses: actions/cache@v4
        with:
          path: |
            out/nightly
            out/findings
          key: nightly-\${{ github.run_id }}
          restore-keys: nightly-
      - run: deno task -q nightly --budget 7200 --github
      - uses: actions/upload-artifact@v4
        if: always()
        with: { name: nightly, path: out/nightly }
      - uses: github/codeql-action/upload-sarif@v3
        if: always()
        with: { sarif_file: out/nightly/latest.sarif }
`,
};
