import type { BrokerConnection, BrokerType } from '#client/types.ts'
import { number } from '../words/figures.ts'

/** The kinds of account that a type has, in the order in which they are offered: paper first. */
export const kindsOf = ({ offersDemo, offersLive }: BrokerType): ('paper' | 'live')[] => [
  ...(offersDemo ? (['paper'] as const) : []),
  ...(offersLive ? (['live'] as const) : []),
]

/** Whether a connection is to an account with real money. */
export const isReal = ({ accounts }: Pick<BrokerConnection, 'accounts'>): boolean =>
  accounts.some(({ isDemo }) => !isDemo)

/** What a connection is to: "Alpaca, live account". */
export function kindWords(broker: BrokerConnection, types: readonly BrokerType[]): string {
  const name = types.find(({ type }) => type === broker.brokerType)?.name ?? broker.brokerType
  return `${name}, ${isReal(broker) ? 'live' : 'paper'} account`
}

/** When the broker last told how its accounts stand; null when it never did. */
export const lastContact = ({ accounts }: Pick<BrokerConnection, 'accounts'>): string | null =>
  accounts
    .map(({ lastSyncedAt }) => lastSyncedAt)
    .filter((at) => at !== null)
    .toSorted()
    .at(-1) ?? null

/** What is open through a connection, as last synced. */
export interface OpenThings {
  positions: number
  orders: number
}

/** What keeps a connection from being removed: "2 positions and 1 order"; null when nothing is known to. */
export function openWords({ positions, orders }: OpenThings): string | null {
  const parts = [
    ...(positions > 0 ? [positions === 1 ? '1 position' : `${number(positions)} positions`] : []),
    ...(orders > 0 ? [orders === 1 ? '1 order' : `${number(orders)} orders`] : []),
  ]
  return parts.length === 0 ? null : parts.join(' and ')
}
