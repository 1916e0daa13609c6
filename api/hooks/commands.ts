import { findForeignAccounts, isAnyLive } from '#db/accounts/accounts.ts'
import type { EncryptionKeys } from '#db/brokers/secret-box.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { given } from '#db/engine/filter.ts'
import { countHooks, insertHook, lockHook, writeHook, type HookTerms } from '#db/hooks/hooks.ts'
import { lockUser } from '#db/identity/users.ts'
import { findOwnStrategy } from '#db/signals/strategies.ts'
import type { HookKind, HookSettings } from '#domain/hook/settings.ts'
import { tokenCap } from '#domain/token-plans.ts'
import { randomUUID } from 'node:crypto'
import { unauthenticated } from '../access/credential.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import { mintAccessToken } from '../http/access-token.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault, validationError, type Fault } from '#contract/errors.ts'
import { allFaults, readFields } from '#contract/values/fields.ts'
import { audit } from '../identity/audit.ts'
import { revokeOwnToken } from '../identity/token-commands.ts'
import type { RevokedSignals, SignalsOfRevoked } from '#contract/identity/words-of-revoking.ts'
import type { SignalDeps } from '../signals/deps.ts'
import { EXIT_FIELDS, exitFaults } from '#contract/signals/exit-rules.ts'
import { signalFields } from '#contract/signals/fields.ts'
import { SIGNAL_WRITER } from '#contract/signals/schema.ts'
import { ValidFields } from '#contract/signals/valid-fields.ts'
import { hooksOrigin, type PublicAddresses } from './address.ts'
import { loosenedTerms } from './loosening.ts'
import type { HookChange, HookCreation } from '#contract/hooks/schema.ts'

export interface HookDeps {
  settings: PublicAddresses
  secretKeys: EncryptionKeys
  liveTrading: boolean
}

const MOST_HOOKS = 20

export const addressOf = ({ settings }: Pick<HookDeps, 'settings'>, hookId: string, secret: string): string =>
  `${hooksOrigin(settings)}/hooks/${hookId}/${secret}`

/** Answers the address, which is never known again. Throws HOOK_LIMIT_REACHED, and VALIDATION_ERROR naming every fault. */
export const createHook = (
  deps: HookDeps,
  caller: Caller,
  asked: HookCreation,
): Promise<{ id: string; url: string }> =>
  caller.em.transactional(async (inner) => {
    const { userId } = caller.principal
    // Locked until the hook is stored: many at once do not pass the cap.
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

/** The hook is locked: nobody else changes it meanwhile. Throws HOOK_NOT_FOUND. */
export const onHook = <T>(
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

/** Throws HOOK_NOT_FOUND, VALIDATION_ERROR naming every fault, and VERIFICATION_REQUIRED where a hook may do more without a fresh proof. */
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

/** Throws VALIDATION_ERROR naming every fault between the choices, and each account and strategy that is none of the user's. */
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
