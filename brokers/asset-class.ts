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

/** An asset keeps its class, and a symbol is not given to another asset within a day. */
const CLASS_REMEMBERED_FOR_MS = 86_400_000
/** Milliseconds for the class of a symbol spelled like a share; a later answer is for the next entry. */
const CLASS_PATIENCE_MS = 300
const MAX_CLASSES_KEPT = 10_000

interface Remembered {
  asset: Pick<BrokerAsset, 'assetClass'> & AssetPermissions
  at: number
}

const remembered = new WeakMap<Broker, Map<string, Remembered>>()

/** Null where the broker offers no look-up. */
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

export type AskedClass =
  | { what: 'class'; assetClass: string; permissions: AssetPermissions | null }
  | { what: 'absent' }
  /** The broker could not be asked, and the spelling decides. */
  | { what: 'unasked' }

/** Asked anew if untradable or to be borrowed. Throws as the {@link Broker} for one not spelled like a share. */
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
