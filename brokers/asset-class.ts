import { classFault } from '#domain/asset-class.ts'
import {
  AssetLookupUnsupported,
  BrokerBusy,
  BrokerOutcomeUnknown,
  type Broker,
  type BrokerAsset,
} from './port.ts'

/** An asset does not change its class; a symbol may be given to another asset, but not within a day. */
const REMEMBERED_FOR = 86_400_000
/** Symbols that are remembered of one broker at most. */
const MOST = 10_000

interface Remembered {
  assetClass: string
  at: number
}

/** Of each broker, for as long as its connection is used. */
const remembered = new WeakMap<Broker, Map<string, Remembered>>()

/** What a broker says of an asset; null where it offers no look-up, so that nothing is known of any symbol. */
export async function lookUpAsset(
  broker: Broker,
  symbol: string,
): Promise<{ found: BrokerAsset | null } | null> {
  try {
    const found = await broker.getAsset(symbol)
    if (found) remember(broker, symbol, found.assetClass)
    return { found }
  } catch (error) {
    if (error instanceof AssetLookupUnsupported) return null
    throw error
  }
}

/** The class of an asset as its broker tells it, asked once a day. */
export type AskedClass =
  | { what: 'class'; assetClass: string }
  /** The broker has no such asset. */
  | { what: 'absent' }
  /** It could not be asked, and the spelling decides. */
  | { what: 'unasked' }

/**
 * Throws as the {@link Broker} does for a symbol that is not spelled like a share: only the broker can tell then what it is, and it
 * is asked again.
 */
export async function askClass(broker: Broker, symbol: string): Promise<AskedClass> {
  const known = remembered.get(broker)?.get(symbol)
  if (known && performance.now() - known.at < REMEMBERED_FOR)
    return { what: 'class', assetClass: known.assetClass }
  try {
    const answer = await lookUpAsset(broker, symbol)
    if (answer === null) return { what: 'unasked' }
    return answer.found === null ? { what: 'absent' } : { what: 'class', assetClass: answer.found.assetClass }
  } catch (error) {
    const isAway = error instanceof BrokerBusy || error instanceof BrokerOutcomeUnknown
    if (isAway && classFault(symbol, null) === null) return { what: 'unasked' }
    throw error
  }
}

function remember(broker: Broker, symbol: string, assetClass: string): void {
  let known = remembered.get(broker)
  if (known === undefined) remembered.set(broker, (known = new Map<string, Remembered>()))
  if (known.size >= MOST) known.clear()
  known.set(symbol, { assetClass, at: performance.now() })
}
