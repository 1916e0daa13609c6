import { setTimeout as sleep } from 'node:timers/promises'
import type { AssetPermissions } from '#domain/account-may.ts'
import { classFault } from '#domain/asset-class.ts'
import {
  AssetLookupUnsupported,
  BrokerBusy,
  BrokerOutcomeUnknown,
  type Broker,
  type BrokerAsset,
} from './port.ts'

/** An asset does not change its class; a symbol may be given to another asset, but not within a day. */
const CLASS_REMEMBERED_FOR_MS = 86_400_000
/** How long a sender waits for the class of what is spelled like a share, in milliseconds; later the answer is for the next entry. */
const CLASS_PATIENCE_MS = 300
/** Symbols that are remembered of one broker at most. */
const MAX_CLASSES_KEPT = 10_000

interface Remembered {
  asset: Pick<BrokerAsset, 'assetClass'> & AssetPermissions
  at: number
}

/** Of each broker, for as long as its connection is used. */
const remembered = new WeakMap<Broker, Map<string, Remembered>>()

/** The broker's words about an asset; null where it offers no look-up, so that nothing is known of any symbol. */
export async function lookUpAsset(
  broker: Broker,
  symbol: string,
): Promise<{ found: BrokerAsset | null } | null> {
  try {
    const found = await broker.getAsset(symbol)
    if (found) remember(broker, symbol, found)
    return { found }
  } catch (error) {
    if (error instanceof AssetLookupUnsupported) return null
    throw error
  }
}

/** The class of an asset as its broker tells it, asked once a day, and the permissions that came with the answer. */
export type AskedClass =
  | { what: 'class'; assetClass: string; permissions: AssetPermissions | null }
  /** The broker has no such asset. */
  | { what: 'absent' }
  /** The broker could not be asked, and the spelling decides. */
  | { what: 'unasked' }

/**
 * An asset that could not be traded is asked about again, and so is one that is to be borrowed: what can be changes within a day. Where
 * the broker gives no answer then, its class is known and nothing else.
 *
 * Throws as the {@link Broker} does for a symbol that is not spelled like a share: only the broker can tell then what it is, and it
 * is asked again.
 */
export async function askClass(broker: Broker, symbol: string, borrows: boolean): Promise<AskedClass> {
  const held = remembered.get(broker)?.get(symbol)
  const known = held && performance.now() - held.at < CLASS_REMEMBERED_FOR_MS ? held.asset : null
  if (known?.tradable && !borrows) return classOf(known)
  const asked = lookUpClass(broker, symbol)
  if (known === null && classFault(symbol, null) !== null) return asked
  const patience = new AbortController()
  const unasked: AskedClass =
    known === null ? { what: 'unasked' } : { what: 'class', assetClass: known.assetClass, permissions: null }
  try {
    const waited = sleep(CLASS_PATIENCE_MS, unasked, { signal: patience.signal, ref: false })
    return await Promise.race([asked.catch(unlessAway(unasked)), waited])
  } finally {
    patience.abort()
  }
}

async function lookUpClass(broker: Broker, symbol: string): Promise<AskedClass> {
  const answer = await lookUpAsset(broker, symbol)
  if (answer === null) return { what: 'unasked' }
  return answer.found === null ? { what: 'absent' } : classOf(answer.found)
}

const classOf = (asset: Remembered['asset']): AskedClass => ({
  what: 'class',
  assetClass: asset.assetClass,
  permissions: asset,
})

/** The substitute for the answer of a broker that gives none at the moment. */
const unlessAway =
  (otherwise: AskedClass) =>
  (error: unknown): AskedClass => {
    if (error instanceof BrokerBusy || error instanceof BrokerOutcomeUnknown) return otherwise
    throw error
  }

function remember(
  broker: Broker,
  symbol: string,
  { assetClass, tradable, shortable, easyToBorrow }: BrokerAsset,
): void {
  let known = remembered.get(broker)
  if (known === undefined) remembered.set(broker, (known = new Map<string, Remembered>()))
  if (known.size >= MAX_CLASSES_KEPT) known.clear()
  known.set(symbol, { asset: { assetClass, tradable, shortable, easyToBorrow }, at: performance.now() })
}
