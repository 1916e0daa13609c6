import type { Routes } from '#client/types.ts'
import { nameOf, valueWords, type LimitName, type Limits } from '../risk/words.ts'

export type AuditEvent = Routes['GET /api/v1/audit-log']['answers'][200]['data']['events'][number]

const EVENTS: Readonly<Record<string, string>> = {
  'user.registered': 'Registered',
  'user.registration_requested': 'Registration requested',
  'sign_in.succeeded': 'Signed in',
  'sign_in.failed': 'Sign-in failed: wrong password',
  'sign_in.second_factor_failed': 'Sign-in failed: wrong code',
  'session.ended': 'Session ended',
  'session.refresh_token_reused': 'Session ended: its secret was used twice',
  'verification.succeeded': 'Identity confirmed',
  'verification.failed': 'Identity check failed',
  'password.changed': 'Password changed',
  'password.reset_requested': 'Password reset requested',
  'password.reset': 'Password reset',
  'second_factor.enabled': 'Two-step sign-in turned on',
  'second_factor.disabled': 'Two-step sign-in turned off',
  'backup_codes.regenerated': 'New backup codes created',
  'token.created': 'Access token created',
  'token.changed': 'Access token changed',
  'token.revoked': 'Access token revoked',
  'hook.created': 'Hook created',
  'hook.changed': 'Hook changed',
  'hook.deleted': 'Hook deleted',
  'hook.live_switched': 'Hook switched to or from live accounts',
  'hook.secret_made': 'New address of a hook created',
  'hook.secret_ended': 'Address of a hook ended',
  'hook.signing_key_made': 'Signing key of a hook created',
  'hook.signing_key_removed': 'Signing key of a hook removed',
  'device.approved': 'Device approved',
  'device.denied': 'Device denied',
  'channel.added': 'Channel of notifications added',
  'channel.removed': 'Channel of notifications removed',
  'channel.secret_rotated': 'New secret of a webhook created',
  'trading_mode.changed': 'Trading mode changed',
  'account.changed': 'Account settings changed',
  'account.made_primary': 'Primary account changed',
  'broker.connected': 'Broker connected',
  'broker.renamed': 'Broker renamed',
  'broker.keys_replaced': 'Keys of a broker replaced',
  'broker.disconnected': 'Broker disconnected',
  'strategy.created': 'Strategy created',
  'strategy.changed': 'Strategy changed',
  'strategy.deleted': 'Strategy deleted',
  'risk_limits.changed': 'Risk limits changed',
  'halt.set': 'Trading stopped',
  'halt.lifted': 'Trading resumed',
  'admin.user_created': 'User invited',
  'admin.user_changed': 'User changed',
  'admin.legacy_key_issued': 'Legacy API key issued',
  'admin.sessions_ended': 'All sessions ended',
  'admin.second_factor_removed': 'Two-step sign-in removed by the operator',
  'admin.halt_set': 'Whole service stopped',
  'admin.halt_lifted': 'Whole service resumed',
  'admin.order_declared_lost': 'Order declared lost',
  'admin.position_accepted': 'Position of the broker accepted by the operator',
  'position.accepted': 'Position of the broker accepted',
  'order.let_go': 'Order unknown at the broker marked as ended',
}

/** Words for an event; its kind if it has none. */
export const eventWords = ({ kind }: Pick<AuditEvent, 'kind'>): string => EVENTS[kind] ?? kind

const SUSPICIOUS: ReadonlySet<string> = new Set([
  'sign_in.failed',
  'sign_in.second_factor_failed',
  'verification.failed',
  'session.refresh_token_reused',
])

/** Whether another person may have tried to sign in. */
export const isSuspicious = ({ kind }: Pick<AuditEvent, 'kind'>): boolean => SUSPICIOUS.has(kind)

/** Events that the log attributes to the person concerned, although no person was signed in. */
const BY_STRANGERS: ReadonlySet<string> = new Set([
  'sign_in.failed',
  'sign_in.second_factor_failed',
  'session.refresh_token_reused',
  'password.reset_requested',
  'user.registration_requested',
])

/** Id of the acting person; null if no signed-in person is known. */
export const actorOf = ({ kind, actorId }: Pick<AuditEvent, 'kind' | 'actorId'>): string | null =>
  BY_STRANGERS.has(kind) ? null : actorId

/** Values without inner structure, which make sense to a person. */
const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Names of values, in the words of other pages. */
const DETAILS: Readonly<Record<string, string>> = {
  secondFactor: 'two-step sign-in',
  isDemo: 'on paper',
  executeMode: 'sent',
  mayShort: 'short positions',
  whenSame: 'same side again',
  whenOpposite: 'other side',
  approvalMinutes: 'minutes to approve',
}
/** Values, in the words of other pages. */
const VALUES: Readonly<Record<string, string>> = {
  pauseEntries: 'entries paused',
  reduceOnly: 'reduce only',
  fullStop: 'full stop',
  immediate: 'at once',
  pending: 'after approval',
  scheduled: 'at its time',
}

const spoken = (value: string | number | boolean): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : (VALUES[value] ?? String(value))

/** Details of an event, as "name: value"; ids and inner structures are omitted. */
export const eventDetails = ({ data }: Pick<AuditEvent, 'data'>): string =>
  [
    ...limitsSet(data['set']),
    ...Object.entries(data).flatMap(([name, value]) =>
      isPlain(value) && !/Id$|^by$/.test(name) ? [`${DETAILS[name] ?? inWords(name)}: ${spoken(value)}`] : [],
    ),
  ].join(' · ')

const limitsSet = (set: unknown): string[] =>
  typeof set === 'object' && set !== null
    ? Object.entries(set as Partial<Limits>).map(
        ([name, value]) => `${nameOf(name as LimitName)}: ${valueWords(name as LimitName, value as never)}`,
      )
    : []

const inWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const BROWSERS = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

const nameIn = (text: string, names: readonly (readonly [RegExp, string])[]): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/** A browser by name and system, "Firefox on Linux", or the name that a device or program gave itself. */
export function deviceName(name: string): string {
  const browser = nameIn(name, BROWSERS)
  if (browser === undefined) return name === '' ? 'A browser without a name' : name
  const system = nameIn(name, SYSTEMS)
  return system === undefined ? browser : `${browser} on ${system}`
}
