import type { AccessToken, Account, BrokerConnection, Strategy } from '#client/types.ts'
import { number } from '../words/figures.ts'

const count = (of: number, one: string, many: string): string =>
  of === 0 ? `no ${one} yet` : of === 1 ? `1 ${one}` : `${number(of)} ${many}`

/** How the connections stand, in a few words; empty while it is not known. */
export function brokersNote(brokers: readonly BrokerConnection[] | undefined): string {
  if (!brokers) return ''
  const failing = brokers.filter(({ status }) => status === 'error').length
  const all = count(brokers.length, 'connection', 'connections')
  return failing === 0
    ? all
    : `${all}, ${failing === brokers.length ? 'no' : `${failing} without a`} good answer`
}

export const accountsNote = (
  accounts: readonly Account[] | undefined,
  mode: 'PAPER' | 'LIVE' | undefined,
): string =>
  accounts && mode
    ? `${count(accounts.length, 'account', 'accounts')}, ${mode === 'LIVE' ? 'real money' : 'on paper'}`
    : ''

export function strategiesNote(strategies: readonly Strategy[] | undefined): string {
  if (!strategies) return ''
  const paused = strategies.filter(({ status }) => status === 'paused').length
  return `${count(strategies.length, 'strategy', 'strategies')}${paused > 0 ? `, ${number(paused)} paused` : ''}`
}

/** Tokens that work; a desktop's is a session. */
export const tokensNote = (tokens: readonly AccessToken[] | undefined): string =>
  tokens
    ? count(
        tokens.filter(({ kind, isExpired }) => kind !== 'desktop' && !isExpired).length,
        'token',
        'tokens',
      )
    : ''
