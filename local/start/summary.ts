import { relative } from 'node:path'
import type { DataFolder } from './data-folder.ts'
import type { Started } from './start-up.ts'

/**
 * The next steps: addresses, credentials (in full on the first start only) and a call to copy.
 *
 * @param outside what there is to say of the Internet; null for nothing
 */
export function summarise(
  { credentials, isFirstStart, mailbox, webApp }: Started,
  folder: DataFolder,
  outside: string | null = null,
): string {
  const file = shortest(folder.demoCredentials)
  const token = isFirstStart
    ? credentials.token
    : `$(node -p 'JSON.parse(require("fs").readFileSync("${file}")).token')`
  const body = {
    symbol: 'AAPL',
    action: 'openLong',
    accountId: credentials.accountId,
    quantity: 1,
    executeMode: webApp.isServed ? 'pending' : 'immediate',
  }
  const password =
    credentials.password === null
      ? `as it was; another by ${credentials.webUrl}/forgot-password`
      : `${credentials.password}   (shown this once)`
  const secrets = isFirstStart
    ? `  Password      ${password}\n  Access token  ${credentials.token}   (shown this once)\n  All of it     ${file}`
    : `  Credentials   ${file}`
  const { portBase } = credentials
  const ports =
    portBase === undefined
      ? ''
      : `  Ports         from ${portBase} on, also at later starts without PORT_BASE\n`
  return `
Everything works.

  Web app       ${webApp.isServed ? credentials.webUrl : webApp.why}
  API           ${credentials.apiUrl}
  Its reference ${credentials.webUrl}/docs
${mailbox === null ? '' : `  Mailbox       ${mailbox}\n`}  Temporal UI   ${credentials.temporalUiUrl}
  Paper venue   ${credentials.venueUrl}
  Demo user     ${credentials.email}
  Paper account ${credentials.accountId}
${secrets}
${ports}  Logs          ${shortest(folder.logs)}

Buy one share on paper${webApp.isServed ? ', then approve it in the web app' : ''}:

  curl -sS ${credentials.apiUrl}/signals -H "Authorization: Bearer ${token}" \\
    -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'

${outside === null ? '' : `${outside}\n\n`}Ctrl-C stops everything.`
}

/** The path as people would type it here. */
function shortest(path: string): string {
  const fromHere = relative('', path)
  return fromHere.startsWith('..') ? path : fromHere
}
