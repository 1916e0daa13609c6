import {
  type IncomingMessage,
  createServer,
  request,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import { namesThisMachine } from '#domain/hook/host-name.ts'

/**
 * Whether a request comes from a page of the address that it asks, from a person who opens it, or from a program; not from
 * a page of another site.
 */
const isOwnPage = ({ headers }: IncomingMessage): boolean => {
  const { origin, host = '', 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  if (origin !== undefined && origin !== `http://${host}`) return false
  return site === undefined || site === 'same-origin' || site === 'none' || mode === 'navigate'
}

/** Where Temporal's UI listens itself, out of reach of pages in a browser. */
export interface UiAddress {
  host: string
  port: number
}

const METHODS_OF_LINKS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/**
 * The way to Temporal's UI. The UI asks for no password and does not look at the name it is called by, so that any page on
 * the internet could act on workflows through the browser of whoever opens it here. This lets through what comes from its
 * own pages under a name of this machine. Resolves when it listens; stops nothing from ending.
 *
 * @param host address that the gate listens at, such as 127.0.0.1; whatever it is, only names of this machine pass
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

/** The only cookie of the UI itself. */
const OWN_COOKIE = /^_csrf=/

/**
 * A browser sends each port of a host the cookies of all the others, those of the API among them. Neither they nor a
 * credential are anything to the UI.
 */
function passedOn({
  headers: { cookie = '', authorization: _, ...others },
}: IncomingMessage): OutgoingHttpHeaders {
  const own = cookie.split('; ').filter((pair) => OWN_COOKIE.test(pair))
  return { ...others, ...(own.length > 0 && { cookie: own.join('; ') }) }
}

function pass(incoming: IncomingMessage, response: ServerResponse, { host, port }: UiAddress): void {
  const { method, url } = incoming
  const passed = request({ host, port, method, path: url, headers: passedOn(incoming) }, (answer) => {
    // No other site may show it in a frame and have it clicked.
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
