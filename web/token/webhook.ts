import type { Body } from '../trade/requests.ts'

/**
 * A first signal: one share that requires approval and is sold before the session ends, so that nothing happens before
 * a person has looked.
 *
 * @param accountId undefined while no account is known; a placeholder takes its place
 */
export const sampleBody = (accountId: string | undefined): Body => ({
  symbol: 'AAPL',
  action: 'openLong',
  accountId: accountId ?? 'YOUR_ACCOUNT_ID',
  quantity: 1,
  executeMode: 'pending',
  exitTriggerType: 'minutesBeforeClose',
  exitTriggerMinutes: 15,
})

/**
 * Reason why TradingView cannot reach an address; null for none. It calls only public names, at the ports of HTTP and
 * HTTPS.
 */
export function unreachableBecause(origin: string): string | null {
  const { protocol, port, hostname } = new URL(origin)
  if (isOfThisNetwork(hostname)) return `${hostname} is known only on this machine or network`
  if (port !== '') return `TradingView calls only the ports 80 and 443, and this is ${port}`
  if (protocol !== 'https:') return 'without TLS the token can be read in transit'
  return null
}

const isOfThisNetwork = (host: string): boolean =>
  host === 'localhost' ||
  host === '[::1]' ||
  !host.includes('.') ||
  /\.(local|internal|lan|home\.arpa)$/.test(host) ||
  /^(127|10)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\./.test(host)
