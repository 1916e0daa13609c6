import {
  type IncomingMessage,
  createServer,
  request,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import { namesThisMachine } from '#domain/hook/host-name.ts'

/** Whether a request comes from a page of the requested address, a person, or a program; not from another site. */
const isOwnPage = ({ headers }: IncomingMessage): boolean => {
  const { origin, host = '', 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  if (origin !== undefined && origin !== `http://${host}`) return false
  return site === undefined || site === 'same-origin' || site === 'none' || mode === 'navigate'
}

/** Own address of Temporal's UI, out of reach of pages in a browser. */
export interface UiAddress {
  host: string
  port: number
}

const METHODS_OF_LINKS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/**
 * Proxies Temporal's UI, which has no password and ignores the host name, so that any page on the internet could use it
 * through a local browser: only the UI's own pages pass, under a name of this machine. Resolves when it listens; it
 * keeps no process alive.
 *
 * @param host address to listen at, such as 127.0.0.1
 */
export async function serveUi(host: string, port: number, ui: UiAddress): Promise<Server> {
  const server = createServer((incoming, response) => {
    const isLink = METHODS_OF_LINKS.has(incoming.method ?? '')
    const isNavigation = incoming.headers['sec-fetch-mode'] === 'navigate'
    if (!namesThisMachine(incoming.headers.host) || !isOwnPage(incoming) || (isNavigation && !isLink))
      return void response.writeHead(403).end('This page is for this machine only\n')
    pass(incoming, response, ui)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  server.unref()
  return server
}

const OWN_COOKIE = /^_csrf=/

/** A browser sends a host's cookies to each of its ports: neither the API's nor a credential belong to the UI. */
function passedOn({
  headers: { cookie = '', authorization: _, ...others },
}: IncomingMessage): OutgoingHttpHeaders {
  const own = cookie.split('; ').filter((pair) => OWN_COOKIE.test(pair))
  return { ...others, ...(own.length > 0 && { cookie: own.join('; ') }) }
}

function pass(incoming: IncomingMessage, response: ServerResponse, { host, port }: UiAddress): void {
  const { method, url } = incoming
  const passed = request({ host, port, method, path: url, headers: passedOn(incoming) }, (answer) => {
    // No other site may frame it to have it clicked.
    response.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'x-frame-options': 'SAMEORIGIN' })
    answer.pipe(response)
  })
  passed.on('error', () => {
    if (!response.headersSent) response.writeHead(502)
    response.end('Temporal is not there\n')
  })
  response.on('close', () => passed.destroy())
  incoming.pipe(passed)
}
