import type { IncomingMessage } from 'node:http'

/**
 * Whether a request comes from a page of the address that it asks, from a person who opens it, or from a program; not from
 * a page of another site.
 */
export const isOwnPage = ({ headers }: IncomingMessage): boolean => {
  const { origin, host = '', 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  if (origin !== undefined && origin !== `http://${host}`) return false
  return site === undefined || site === 'same-origin' || site === 'none' || mode === 'navigate'
}
