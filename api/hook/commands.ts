import { type HookTerms, countHooks, insertHook, lockHook, writeHook, setSigningKey } from '#db/hook/hooks.ts'
import type { AccountSize } from '#domain/account/size.ts'
import { compare } from '#domain/money/decimal.ts'
import { addressesOf } from '#domain/hook/addresses.ts'
import type { HookSettings, HookKind } from '#domain/hook/settings.ts'
import {
  becomes,
  flatLater,
  loosenedBy,
  never,
  type Loosens,
  type LoosensEach,
} from '#domain/risk/loosening.ts'
import { isDeepStrictEqual } from 'node:util'
import { findForeignAccounts, isAnyLive } from '#db/account/accounts.ts'
import { type EncryptionKeys, sealSecret } from '#db/broker/secret-box.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { given } from '#db/engine/filter.ts'
import { lockUser } from '#db/identity/users.ts'
import { findOwnStrategy } from '#db/signal/strategies.ts'
import { tokenCap } from '#domain/risk/token-bounds.ts'
import { randomUUID, randomBytes } from 'node:crypto'
import { unauthenticated } from '../access/credential.ts'
import { requireFreshProof } from '../access/policy.ts'
import { mintAccessToken } from '../http/access-token.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault, validationError, type Fault } from '#contract/errors.ts'
import { allFaults, readFields } from '#contract/values/fields.ts'
import { audit } from '../identity/audit.ts'
import { revokeOwnToken } from '../identity/tokens.ts'
import type { RevokedSignals, SignalsOfRevoked } from '#contract/identity/requests.ts'
import type { SignalDeps } from '../signal/own-signal.ts'
import { EXIT_FIELDS, exitFaults, ValidFields } from '#contract/signal/rules.ts'
import { signalFields } from '#contract/signal/fields.ts'
import { SIGNAL_WRITER } from '#contract/signal/request.ts'
import { hooksOrigin, type PublicAddresses } from './public-address.ts'
import type { HookChange, HookCreation } from '#contract/hook/requests.ts'
import { endSecretNow, insertSecret, type HookSecret } from '#db/hook/secrets.ts'

type Loosened = Exclude<keyof HookTerms, 'settings'> | keyof HookSettings

/** Fields that a change loosens, even if it tightens others. */
export const loosenedTerms = (before: HookTerms, after: HookTerms): Loosened[] => [
  ...loosenedBy(LOOSENS_TERM, before, after),
  ...loosenedBy(LOOSENS_SETTING, before.settings, after.settings),
]

/** Neither value is known to be safer; any is safer than null. */
const otherThanBefore: Loosens<unknown> = (before, after) =>
  before !== null && !isDeepStrictEqual(before, after)
const LOOSENS_TERM: LoosensEach<Omit<HookTerms, 'settings'>> = {
  name: never,
  kind: never,
  requestsPerMinute: (before, after) => after > before,
  addresses: (before, after) => {
    const listed = new Set(before.flatMap(addressesOf))
    return (
      listed.size > 0 && (after.length === 0 || after.flatMap(addressesOf).some((one) => !listed.has(one)))
    )
  },
  // Alerts about silence stop no trade.
  expects: never,
}

const LOOSENS_SETTING: LoosensEach<HookSettings> = {
  accounts: (before, after) =>
    after.some((account) => {
      const same = before.find(({ accountId }) => accountId === account.accountId)
      return !same || isLargerSize(same, account)
    }),
  executeMode: becomes('immediate'),
  // An old alert can be approved for longer.
  approvalMinutes: (before, after) => before !== null && (after === null || after > before),
  // The other strategy may be paused.
  strategyId: otherThanBefore,
  // Without it, a message without a size is denied.
  quantity: (before, after) => after !== null && (before === null || compare(after, before) > 0),
  quantityType: otherThanBefore,
  exit: otherThanBefore,
  protection: becomes('ignore'),
  symbols: (before, after) =>
    [...new Set([...Object.keys(before), ...Object.keys(after)])].some(
      (name) => symbolOf(before, name) !== symbolOf(after, name),
    ),
  manages: becomes('position'),
  mayShort: becomes(true),
  whenSame: becomes('add'),
  whenOpposite: becomes('reverse'),
  template: otherThanBefore,
  flatByClose: flatLater,
}

/** A fixed size cannot be compared with a multiplier. */
function isLargerSize(before: AccountSize, after: AccountSize): boolean {
  if (before.quantity !== null && after.quantity !== null) return compare(after.quantity, before.quantity) > 0
  if (before.quantity !== null || after.quantity !== null) return true
  return compare(after.multiplier ?? '1', before.multiplier ?? '1') > 0
}

const symbolOf = (symbols: HookSettings['symbols'], name: string): string =>
  Object.hasOwn(symbols, name) ? symbols[name]! : name

export interface HookDeps {
  settings: PublicAddresses
  secretKeys: EncryptionKeys
  liveTrading: boolean
}

const MOST_HOOKS = 20

const addressOf = ({ settings }: Pick<HookDeps, 'settings'>, hookId: string, secret: string): string =>
  `${hooksOrigin(settings)}/hooks/${hookId}/${secret}`

/** Creates a hook and returns its address, which cannot be read again. Throws HOOK_LIMIT_REACHED, VALIDATION_ERROR. */
export const createHook = (
  deps: HookDeps,
  caller: Caller,
  asked: HookCreation,
): Promise<{ id: string; url: string }> =>
  caller.em.transactional(async (inner) => {
    const { userId } = caller.principal
    // The lock keeps concurrent requests within the cap.
    const user = await lockUser(inner, userId)
    if (!user) throw unauthenticated()
    const cap = tokenCap(user.plan) === 0 ? 0 : MOST_HOOKS
    if ((await countHooks(inner, userId)) >= cap) {
      const message = `The plan ${user.plan} allows ${cap} hooks`
      throw new ApiError('HOOK_LIMIT_REACHED', { message, details: [fault([], 'plan_limit', message)] })
    }
    const { name, kind, requestsPerMinute, addresses, expects, accountIds: accounts, ...choices } = asked
    const settings = { accounts, ...choices }
    const terms: HookTerms = { name, kind, settings, requestsPerMinute, addresses, expects }
    await requireSound(inner, userId, terms)
    const id = randomUUID()
    const { token: secret, hash } = mintAccessToken('dth')
    await insertHook(inner, userId, { ...terms, id, secret: { id: randomUUID(), hash } })
    await audit(inner, 'hook.created', userId, caller, { hookId: id, ...logged(terms) })
    return { id, url: addressOf(deps, id, secret) }
  })

type LockedHook = HookTerms & { isLive: boolean }

/** Throws HOOK_NOT_FOUND. */
const onHook = <T>(
  caller: Caller,
  hookId: string,
  work: (inner: EntityManager, was: LockedHook, userId: string) => Promise<T>,
): Promise<T> =>
  caller.em.transactional(async (inner) => {
    const { userId } = caller.principal
    const was = await lockHook(inner, userId, hookId)
    if (!was) throw new ApiError('HOOK_NOT_FOUND')
    return work(inner, was, userId)
  })

/** Throws HOOK_NOT_FOUND, VALIDATION_ERROR, and VERIFICATION_REQUIRED to loosen without a fresh proof. */
export const changeOwnHook = (caller: Caller, hookId: string, change: HookChange): Promise<void> =>
  onHook(caller, hookId, async (inner, was, userId) => {
    const {
      name = was.name,
      requestsPerMinute = was.requestsPerMinute,
      addresses = was.addresses,
      expects = was.expects,
      accountIds: accounts = was.settings.accounts,
      ...choices
    } = change
    const settings: HookSettings = { ...was.settings, ...given(choices), accounts }
    const terms: HookTerms = { name, kind: was.kind, settings, requestsPerMinute, addresses, expects }
    await requireSound(inner, userId, terms)
    await requireProofToLoosen(inner, caller, was, terms)
    await writeHook(inner, userId, hookId, { ...terms, isLive: was.isLive })
    await audit(inner, 'hook.changed', userId, caller, { hookId, change: logged(terms), was: logged(was) })
  })

async function requireProofToLoosen(
  em: EntityManager,
  { principal }: Caller,
  was: LockedHook,
  terms: HookTerms,
): Promise<void> {
  const loosened = loosenedTerms(was, terms)
  if (loosened.length === 0) return
  const ids = terms.settings.accounts.map(({ accountId }) => accountId)
  const isAsked = was.isLive || loosened.includes('accounts') || (await isAnyLive(em, principal.userId, ids))
  if (isAsked) requireFreshProof(principal, loosened.map(faultOfLoosened))
}

function faultOfLoosened(name: ReturnType<typeof loosenedTerms>[number]): Fault {
  const field = name === 'accounts' ? 'accountIds' : name
  return fault([field], 'loosened', `${field} allows more than before`)
}

export const switchLive = (caller: Caller, hookId: string, isLive: boolean): Promise<void> =>
  onHook(caller, hookId, async (inner, was, userId) => {
    if (was.isLive === isLive) return
    await writeHook(inner, userId, hookId, { ...was, isLive })
    await audit(inner, 'hook.live_switched', userId, caller, { hookId, name: was.name, live: isLive })
  })

export const deleteHook = (
  deps: Pick<SignalDeps, 'gateway' | 'logger' | 'answerDeadline'>,
  caller: Caller,
  hookId: string,
  signals: SignalsOfRevoked,
): Promise<RevokedSignals> =>
  revokeOwnToken(deps, caller, hookId, signals, {
    kinds: ['hook'],
    event: 'hook.deleted',
    absent: 'HOOK_NOT_FOUND',
  })

/** Throws VALIDATION_ERROR, also for foreign accounts and strategies. */
async function requireSound(em: EntityManager, userId: string, { kind, settings }: HookTerms): Promise<void> {
  const ids = settings.accounts.map(({ accountId }) => accountId)
  const foreign = new Set(await findForeignAccounts(em, userId, ids))
  const isStrange = settings.strategyId !== null && !(await findOwnStrategy(em, userId, settings.strategyId))
  const faults: Fault[] = [
    ...settingFaults(kind, settings),
    ...ids.flatMap((id, index) =>
      foreign.has(id) ? [fault(['accountIds', index], 'unknown_account', 'must be an account of yours')] : [],
    ),
    ...(isStrange ? [fault(['strategyId'], 'unknown_strategy', 'must be a strategy of yours')] : []),
  ]
  if (faults.length > 0) throw validationError(faults)
}

const logged = ({ name, kind, settings, requestsPerMinute, addresses }: HookTerms) => {
  const { symbols: _symbols, template: _template, ...deciding } = settings
  return { name, kind, ...deciding, requestsPerMinute, addresses }
}

function settingFaults(kind: HookKind, { exit, template }: HookSettings): Fault[] {
  const isTemplate = kind === 'template'
  const faults = exit === null ? [] : faultsOfExit(exit)
  if (isTemplate && template === null)
    faults.push(fault(['template'], 'required', 'template is required with kind template'))
  if (!isTemplate && template !== null)
    faults.push(fault(['template'], 'not_allowed', `template is not allowed with kind ${kind}: leave it out`))
  return faults
}

const EXIT_SHAPE = Object.fromEntries(EXIT_FIELDS.map((field) => [field, signalFields[field]])) as Pick<
  typeof signalFields,
  (typeof EXIT_FIELDS)[number]
>

function faultsOfExit(exit: Record<string, unknown>): Fault[] {
  const { values, faults } = readFields(EXIT_SHAPE, exit, SIGNAL_WRITER)
  const valid = new ValidFields({ ...values, action: 'openLong' }, faults)
  const between = [...valid.required('exitTriggerType', 'of an exit'), ...exitFaults(valid)]
  return allFaults(faults, between).map(({ path, code, message }) =>
    fault(['exit', ...path], code, `exit.${message}`),
  )
}

const SIGNING_KEY_BYTES = 32

/**
 * Returns an address that cannot be read again.
 * @param minutes for which the previous secret stays valid
 */
export const makeSecret = (
  deps: HookDeps,
  caller: Caller,
  hookId: string,
  minutes: number,
): Promise<{ url: string; secret: HookSecret }> =>
  onHook(caller, hookId, async (inner, { name }, userId) => {
    const { token, hash } = mintAccessToken('dth')
    const secret = await insertSecret(inner, userId, hookId, { id: randomUUID(), hash }, minutes)
    await audit(inner, 'hook.secret_made', userId, caller, { hookId, name, secretId: secret.id, minutes })
    return { url: addressOf(deps, hookId, token), secret }
  })

export const endSecret = (caller: Caller, hookId: string, secretId: string): Promise<void> =>
  onHook(caller, hookId, async (inner, { name }, userId) => {
    if (!(await endSecretNow(inner, userId, hookId, secretId))) throw new ApiError('HOOK_SECRET_NOT_FOUND')
    await audit(inner, 'hook.secret_ended', userId, caller, { hookId, name, secretId })
  })

/** Returns hexadecimal digits; replaces the previous key. */
export const makeSigningKey = ({ secretKeys }: HookDeps, caller: Caller, hookId: string): Promise<string> =>
  onHook(caller, hookId, async (inner, { name }, userId) => {
    const key = randomBytes(SIGNING_KEY_BYTES).toString('hex')
    const place = { table: 'hooks', id: hookId, userId, field: 'signingKey' }
    await setSigningKey(inner, userId, hookId, sealSecret(secretKeys, place, key))
    await audit(inner, 'hook.signing_key_made', userId, caller, { hookId, name })
    return key
  })

export const removeSigningKey = (caller: Caller, hookId: string): Promise<void> =>
  onHook(caller, hookId, async (inner, { name }, userId) => {
    await setSigningKey(inner, userId, hookId, null)
    await audit(inner, 'hook.signing_key_removed', userId, caller, { hookId, name })
  })
