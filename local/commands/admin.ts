import {
  acceptShownPosition,
  administerUser,
  declareLost,
  createUser,
  endAllSessions,
  issueLegacyKey,
  takeSecondFactorAway,
} from '#api/admin/commands.ts'
import { PLANS, ROLES } from '#contract/admin.ts'
import { HALT_LEVELS } from '#domain/risk/halt.ts'
import { SCOPES, aYearFrom } from '#domain/risk/token-bounds.ts'
import { ApiError } from '#contract/errors.ts'
import { haltEverybody, haltUser, resumeEverybody, resumeUser } from '#api/risk/commands.ts'
import { apiSettings, readSettings, SettingsError } from '#config/env.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { listSessions } from '#db/identity/sessions.ts'
import { listActiveHalts, type TradingHalt } from '#db/risk/halts.ts'
import { markRestored } from '#db/watch/restoration.ts'
import { findUserByEmail, listUsers, type UserRecord } from '#db/identity/users.ts'
import { openInstallation, type Installation } from '../start/installation.ts'
import { StartupError } from '../processes/startup-error.ts'
import { readArguments, UsageError } from './arguments.ts'
import { addressOf, writeLetter } from './letters.ts'

const ADMIN_HELP = `Administers this installation and its users. Every change is in the audit log.

  npm run admin -- users [--limit N] [--offset N]        list the users
  npm run admin -- create-user EMAIL [--plan PLAN] [--role ROLE]
                                                         make a user; prints the link with which they choose a password
  npm run admin -- set-plan EMAIL PLAN                   ${PLANS.join(', ')}
  npm run admin -- set-role EMAIL ROLE                   ${ROLES.join(', ')}
  npm run admin -- disable EMAIL                         end their sessions and refuse all their credentials
  npm run admin -- enable EMAIL
  npm run admin -- issue-key EMAIL --label TEXT --scopes LIST [--expires DATE]
                                                         a legacy API key (dtk_...), for senders that know no other;
                                                         scopes, separated by commas: ${SCOPES.join(',')}
  npm run admin -- sessions EMAIL                        list where a user is signed in
  npm run admin -- end-sessions EMAIL                    sign a user out everywhere
  npm run admin -- remove-second-factor EMAIL --reason TEXT
                                                         a second factor that its user has lost, backup codes too: the password
                                                         alone signs in then. Signs them out everywhere, and writes to them.
                                                         Be sure who asks, by a way other than a message

  npm run admin -- halt LEVEL [--reason TEXT] [--user EMAIL]
                                                         throw the kill switch within a second, for everybody or for one
                                                         user, who cannot lift it: ${HALT_LEVELS.join(', ')}
  npm run admin -- resume [--user EMAIL]                 lift it
  npm run admin -- halts                                 list the active halts, of users and accounts too

  npm run admin -- order lost ID --reason TEXT           an order that its broker does not know any more counts as cancelled,
                                                         so that nothing waits for it; only while an alert says so
  npm run admin -- position accept ACCOUNT SYMBOL --reason TEXT
                                                         a position counts as its broker shows it, as after a split or a transfer;
                                                         only while an alert says that its executions add up to another one

  npm run admin -- reconcile [--wait SECONDS] [--since INSTANT]
                                                         compare ledger, Temporal and brokers (orders and executions of a day,
                                                         or from INSTANT on if that is earlier; positions), have the service
                                                         mend what differs, and print the outcome; status 1 when something
                                                         is left. Waits for 30 seconds; with 0 it changes nothing

  npm run admin -- restored INSTANT                      a PostgreSQL of your own was restored to that state, such as
                                                         2026-11-22T10:30:00Z: the service reconciles by itself within a
                                                         minute, and alerts the owners. Sets a halt of entries, and ends
                                                         all sessions (npm run restore needs none of this)

It works on the running installation of npm start (DATA_DIR), or on that of DATABASE_URL.`

const COMMAND_LINE = { actorId: null, ip: null, requestId: null }

interface Typed {
  words: string[]
  options: Partial<
    Record<
      | 'plan'
      | 'role'
      | 'label'
      | 'scopes'
      | 'expires'
      | 'limit'
      | 'offset'
      | 'reason'
      | 'wait'
      | 'since'
      | 'user',
      string
    >
  >
}

const ADMIN_COMMANDS: Record<
  string,
  (em: EntityManager, typed: Typed & { installation: Installation }) => Promise<void>
> = {
  async users(em, { options }) {
    const page = { limit: Number(options.limit ?? 100), offset: Number(options.offset ?? 0) }
    if (!Object.values(page).every(Number.isSafeInteger))
      throw new UsageError('--limit and --offset are whole numbers')
    const { items, total, totalIsExact } = await listUsers(em, page)
    for (const user of items) console.log(describe(user))
    console.log(`${items.length} of ${totalIsExact ? '' : 'more than '}${total} users`)
  },

  async 'create-user'(em, { words: [email], options, installation }) {
    const { DEFAULT_PLAN } = readSettings(apiSettings)
    const wanted = {
      email: given(email, 'EMAIL'),
      plan: options.plan === undefined ? DEFAULT_PLAN : oneOf(PLANS, options.plan),
      role: oneOf(ROLES, options.role ?? 'member'),
    }
    if (!/^[!-?A-~]+@[!-~]+$/.test(wanted.email)) throw new UsageError(`${wanted.email} is no e-mail address`)
    const { user, invitation } = await createUser(em, COMMAND_LINE, wanted)
    console.log(
      `${describe(user)}\nThey choose a password within a day at\n${addressOf(installation)}/reset-password#token=${invitation}`,
    )
  },

  async 'set-plan'(em, { words: [email, plan] }) {
    await change(em, email, { plan: oneOf(PLANS, plan) })
  },
  async 'set-role'(em, { words: [email, role] }) {
    await change(em, email, { role: oneOf(ROLES, role) })
  },
  async disable(em, { words: [email] }) {
    await change(em, email, { isDisabled: true })
  },
  async enable(em, { words: [email] }) {
    await change(em, email, { isDisabled: false })
  },

  async 'issue-key'(em, { words: [email], options }) {
    const user = await named(em, email)
    const scopes = given(options.scopes, '--scopes')
      .split(',')
      .map((scope) => oneOf(SCOPES, scope.trim()))
    const expiresAt = options.expires === undefined ? aYearFrom(new Date()) : new Date(options.expires)
    if (!(expiresAt.getTime() > Date.now())) throw new UsageError('--expires is no date in the future')
    const label = given(options.label, '--label')
    const { key } = await issueLegacyKey(em, COMMAND_LINE, user.id, { label, scopes, expiresAt })
    console.log(`${key}\nShown only once, and works until ${expiresAt.toISOString()}.`)
  },

  async sessions(em, { words: [email] }) {
    const sessions = await listSessions(em, (await named(em, email)).id)
    for (const { id, kind, name, ip, lastUsedAt } of sessions)
      console.log(`${id}  ${kind.padEnd(7)}  ${lastUsedAt.toISOString()}  ${ip}  ${name}`)
    console.log(`${sessions.length} sessions`)
  },
  async 'end-sessions'(em, { words: [email] }) {
    const ended = await endAllSessions(em, COMMAND_LINE, (await named(em, email)).id)
    console.log(`${ended} sessions were ended.`)
  },
  async 'remove-second-factor'(em, { words: [email], options, installation }) {
    const { id, email: address } = await named(em, email)
    const reason = given(options.reason, '--reason')
    const ended = await takeSecondFactorAway(em, COMMAND_LINE, id, reason)
    console.log(`The second factor of ${address} is gone, and ${ended} sessions were ended.`)
    await writeLetter(installation, (templates) => templates.secondFactorTakenAway(address, reason))
  },

  async halt(em, { words: [level], options }) {
    const wanted = { level: oneOf(HALT_LEVELS, level), reason: options.reason ?? null }
    const halt =
      options.user === undefined
        ? haltEverybody(em, COMMAND_LINE, wanted)
        : haltUser(em, COMMAND_LINE, (await named(em, options.user)).id, wanted)
    console.log(describeHalt(await halt))
  },
  async resume(em, { options }) {
    if (options.user !== undefined) {
      const user = await named(em, options.user)
      const { level } = await resumeUser(em, COMMAND_LINE, user.id)
      return console.log(`The halt (${level}) of ${user.email} by an administrator is lifted.`)
    }
    const { level } = await resumeEverybody(em, COMMAND_LINE)
    console.log(`The halt (${level}) of everybody is lifted.`)
    const halts = await listActiveHalts(em)
    if (halts.length > 0) console.log(`Still active:\n${halts.map(describeHalt).join('\n')}`)
  },
  async order(em, { words: [what, id], options }) {
    oneOf(['lost'], what)
    const orderId = idOf('an order', given(id, 'ID'))
    const lost = await declareLost(em, COMMAND_LINE, orderId, given(options.reason, '--reason'))
    console.log(
      `Order ${lost.clientOrderId} (${lost.symbol}) counts as cancelled, with ${lost.filledQuantity} shares filled.`,
    )
  },
  async position(em, { words: [what, account, symbol], options }) {
    oneOf(['accept'], what)
    const accepted = await acceptShownPosition(em, COMMAND_LINE, {
      accountId: idOf('an account', given(account, 'ACCOUNT')),
      symbol: given(symbol, 'SYMBOL'),
      reason: given(options.reason, '--reason'),
    })
    const { shown, executed } = accepted
    console.log(`The position in ${symbol} counts as ${shown} shares, where ${executed} were executed.`)
  },
  async reconcile(_, { options: { wait = '30', since }, installation }) {
    const seconds = Number(wait)
    if (wait.trim() === '' || !(seconds >= 0 && seconds <= 3_600))
      throw new UsageError(`--wait is a number of seconds up to 3600, not ${wait}`)
    const from = since === undefined ? undefined : pastInstant(since)
    // Temporal's client is loaded only here: no other command waits for it.
    const { reconcileInstallation } = await import('./reconcile.ts')
    if (!(await reconcileInstallation(installation, seconds * 1_000, from))) process.exitCode = 1
  },
  async restored(em, { words: [instant] }) {
    const restoredTo = pastInstant(given(instant, 'INSTANT'))
    await markRestored(em, restoredTo.toISOString())
    console.log(
      `The ledger is marked as restored to ${restoredTo.toISOString()}: ledger, Temporal and brokers are compared as soon as a worker runs. No position is opened, and everybody signs in again, until you have checked what was decided since: npm run admin -- halts, then npm run admin -- resume`,
    )
  },
  async halts(em) {
    const halts = await listActiveHalts(em)
    console.log(
      halts.length === 0 ? 'No halt is set: all users may trade.' : halts.map(describeHalt).join('\n'),
    )
  },
}

async function change(
  em: EntityManager,
  email: string | undefined,
  wanted: Parameters<typeof administerUser>[3],
): Promise<void> {
  const { id } = await named(em, email)
  console.log(describe(await administerUser(em, COMMAND_LINE, id, wanted)))
}

async function named(em: EntityManager, email: string | undefined): Promise<UserRecord> {
  const user = await findUserByEmail(em, given(email, 'EMAIL'))
  if (!user) throw new UsageError(`There is no user ${email}`)
  return user
}

function given(text: string | undefined, what: string): string {
  if (text === undefined || text === '') throw new UsageError(`${what} is missing`)
  return text
}

function idOf(what: string, text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text))
    throw new UsageError(`${text} is no id of ${what}`)
  return text
}

function pastInstant(text: string): Date {
  const instant = new Date(text)
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(text) || !(instant.getTime() <= Date.now()))
    throw new UsageError(`${text} is no instant in the past, such as 2026-11-22T10:30:00Z`)
  return instant
}

function oneOf<const T extends readonly string[]>(words: T, text: string | undefined): T[number] {
  if (!words.includes(text ?? '')) throw new UsageError(`${text ?? 'Nothing'} is none of ${words.join(', ')}`)
  return text as T[number]
}

const describe = ({ email, role, plan, isDisabled, hasSecondFactor, id }: UserRecord): string =>
  `${email}  ${role}  ${plan}${isDisabled ? '  disabled' : ''}${hasSecondFactor ? '  two-step' : ''}  ${id}`

const describeHalt = ({ level, scope, userId, accountId, reason, setBy, setAt }: TradingHalt): string =>
  `${level}  ${scope === 'global' ? 'everybody' : `${scope} ${accountId ?? userId}`}  since ${setAt}  by ${setBy}${reason === null ? '' : `: ${reason}`}`

async function perform(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      plan: text,
      role: text,
      label: text,
      scopes: text,
      expires: text,
      limit: text,
      offset: text,
      reason: text,
      wait: text,
      since: text,
      user: text,
    },
  })
  const [name, ...words] = positionals
  const { help, ...options } = values
  if (help || name === undefined) {
    console.log(ADMIN_HELP)
    return
  }
  if (!Object.hasOwn(ADMIN_COMMANDS, name)) throw new UsageError(`There is no command ${name}`)
  const installation = await openInstallation()
  const { database } = installation
  try {
    await ADMIN_COMMANDS[name]!(database.em.fork(), { words, options, installation })
  } finally {
    await database.close(true)
  }
}

/** Prints the outcome; a failure sets the exit status 1. */
export async function administer(args: string[]): Promise<void> {
  try {
    await perform(args)
  } catch (error) {
    const isExpected = [ApiError, UsageError, SettingsError, StartupError].some(
      (kind) => error instanceof kind,
    )
    const message = error instanceof Error ? error.message : String(error)
    console.error(
      isExpected ? `${message}; npm run admin -- --help says more` : `That did not work: ${message}`,
    )
    process.exitCode = 1
  }
}

if (import.meta.main) await administer(process.argv.slice(2))
