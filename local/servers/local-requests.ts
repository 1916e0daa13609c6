import type { IncomingMessage } from 'node:http'

const THIS_MACHINE = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Whether a browser believes to be at this machine: it names the address that it asks. A page whose own name was made to
 * resolve to this machine (DNS rebinding) names that name.
 */
export const namesThisMachine = ({ headers }: IncomingMessage): boolean =>
  THIS_MACHINE.includes((headers.host ?? '').replace(/:\d{1,5}$/, ''))

/**
 * Whether a request comes from a page of the address that it asks, from a person who opens it, or from a program; not from
 * a page of another site.
 */
export const isOwnPage = ({ headers }: IncomingMessage): boolean => {
  const { origin, host = '', 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  if (origin !== undefined && origin !== `http://${host}`) return false
  return site === undefined || site === 'same-origin' || site === 'none' || mode === 'navigate'
}
