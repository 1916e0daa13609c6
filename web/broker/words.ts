import type { BrokerConnection, BrokerType } from '#client/types.ts'
import { number } from '../words/figures.ts'

/** Kinds of account that a type offers, paper first. */
export const kindsOf = ({ offersDemo, offersLive }: BrokerType): ('paper' | 'live')[] => [
  ...(offersDemo ? (['paper'] as const) : []),
  ...(offersLive ? (['live'] as const) : []),
]

export const isReal = ({ accounts }: Pick<BrokerConnection, 'accounts'>): boolean =>
  accounts.some(({ isDemo }) => !isDemo)

/** Broker and kind of a connection: "Alpaca, live account". */
export function kindWords(broker: BrokerConnection, types: readonly BrokerType[]): string {
  const name = types.find(({ type }) => type === broker.brokerType)?.name ?? broker.brokerType
  return `${name}, ${isReal(broker) ? 'live' : 'paper'} account`
}

/** Time at which the broker last reported its accounts; null if never. */
export const lastContact = ({ accounts }: Pick<BrokerConnection, 'accounts'>): string | null =>
  accounts
    .map(({ lastSyncedAt }) => lastSyncedAt)
    .filter((at) => at !== null)
    .toSorted()
    .at(-1) ?? null

export interface OpenThings {
  positions: number
  orders: number
}

/** Obstacles to a removal: "2 positions and 1 order"; null without a known one. */
export function openWords({ positions, orders }: OpenThings): string | null {
  const parts = [
    ...(positions > 0 ? [positions === 1 ? '1 position' : `${number(positions)} positions`] : []),
    ...(orders > 0 ? [orders === 1 ? '1 order' : `${number(orders)} orders`] : []),
  ]
  return parts.length === 0 ? null : parts.join(' and ')
}
