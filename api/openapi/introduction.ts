import type { RoutePolicy } from '../access/policy.ts'
import type { CredentialKind } from '../http/principal.ts'
import { readFileSync } from 'node:fs'
import { ERRORS } from '#contract/errors.ts'
import { VERSION } from '../http/presentation.ts'

export const SECURITY_SCHEMES = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'dt_…',
    description:
      'An access token, made under `POST /api/v1/tokens` and shown there once. It may do what its scopes say. ' +
      'Revoking it takes effect with the next request.',
  },
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The token of a person who is signed in, from `POST /api/v1/auth/login`. It has every scope, is good for 15 ' +
      'minutes, and is renewed by `POST /api/v1/auth/refresh`.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A key from before access tokens, `dtk_…`; the same scopes hold.',
  },
  hookAddress: {
    type: 'apiKey',
    in: 'query',
    name: 'the address',
    description:
      'The secret at the end of the address of a hook, made under `POST /api/v1/hooks` and shown there once; or the signature of a ' +
      'sender that signs.',
  },
  ticketInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'ticket',
    description:
      'A ticket from `POST /api/v1/events/ticket`, good once and for seconds, for browsers, whose event streams can set ' +
      'no header.',
  },
  apiKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'apiKey',
    description:
      'The same key in the address, for senders of webhooks that can set no header. Discouraged, because addresses ' +
      'end up in the logs of others, and switched off by `API_KEY_IN_QUERY`.',
  },
} as const

type SchemeName = keyof typeof SECURITY_SCHEMES

const SCHEME_OF: Readonly<Record<CredentialKind, SchemeName>> = {
  access: 'accessToken',
  desktop: 'accessToken',
  jwt: 'jwt',
  legacy: 'apiKey',
  hook: 'hookAddress',
}

export function securityOf(policy: RoutePolicy | null): Partial<Record<SchemeName, string[]>>[] {
  if (!policy || policy.credentials.length === 0) return []
  const names = new Set(policy.credentials.map((kind) => SCHEME_OF[kind]))
  if (policy.keyInQuery) names.add('apiKeyInQuery')
  if (policy.ticketInQuery) names.add('ticketInQuery')
  const scopes = policy.scope === null ? [] : [policy.scope]
  const requirements = [...names].map((name) => ({ [name]: isPersons(name) ? [] : scopes }))
  return policy.mayBeAnonymous ? [...requirements, {}] : requirements
}

const isPersons = (name: SchemeName): boolean => name === 'jwt' || name === 'ticketInQuery'

export function authorizationOf({ credentials, scope, fresh, admin, mayBeAnonymous }: RoutePolicy): string {
  if (credentials.length === 0) return 'Anybody may ask; a credential that comes along does not count.'
  const parts: string[] = []
  if (credentials.every((kind) => kind === 'jwt'))
    parts.push('Only a person who is signed in (JWT): no token can do this')
  else if (credentials.every((kind) => kind === 'desktop')) parts.push("Only a desktop's token")
  if (mayBeAnonymous) parts.push('Without a credential in some cases')
  if (scope !== null) parts.push(`Scope \`${scope}\``)
  if (fresh)
    parts.push('Needs a proof of who they are within the last five minutes (`POST /api/v1/auth/verify`)')
  if (admin) parts.push('Administrators only')
  return parts.length === 0 ? '' : `${parts.join('. ')}.`
}

const CHAPTERS: Readonly<Record<string, string>> = {
  Signals: 'Requests to trade: an entry and perhaps an exit. Each becomes a broker order exactly once.',
  Hooks: 'Addresses for senders that cannot set headers, with the requests to each and their outcomes.',
  Orders: 'What brokers have accepted.',
  Positions: 'Open positions, as the broker last reported them.',
  Accounts: 'Accounts at brokers, with their balances.',
  Brokers: 'Connections to brokers; accounts belong to one.',
  Trades: 'Round trips: entries and exits, matched by the signal whose shares they are.',
  Strategies: 'What signals can be grouped by.',
  Dashboard: 'Figures over all accounts.',
  Assets: 'What a broker knows of a symbol.',
  Alerts: 'Conditions that may cost you money until you know of them.',
  Notifications:
    'Your browsers that receive notifications of waiting signals and alerts, and what each notification has.',
  Events: 'Changes of all these as they happen.',
  Exports: 'Records as files, for spreadsheets and programs.',
  Risk: 'Limits of accounts and the kill switch.',
  'Sign-in': 'Registration, sign-in, sign-out and passwords.',
  'Two-step sign-in': 'Authenticators and backup codes.',
  Devices: 'Sign-in of desktops and devices without a browser.',
  'Access tokens': 'Credentials for programs.',
  'Own account': 'Who you are, where you are signed in, and what was done in your name.',
  Desktop: 'What a companion on a desktop keeps itself up to date by.',
  Administration: 'What administrators do with users.',
  Service: 'Health of the service, and this description.',
}

export function chaptersOf(routes: readonly { tag: string | null }[]): string[] {
  const tags = routes.flatMap(({ tag }) => tag ?? [])
  const unknown = tags.find((tag) => !Object.hasOwn(CHAPTERS, tag))
  if (unknown !== undefined) throw new Error(`The chapter ${unknown} is not described`)
  return Object.keys(CHAPTERS).filter((name) => tags.includes(name))
}

export function introduction(chapters: readonly string[]): object {
  return {
    info: {
      title: 'Durable Trader',
      version: VERSION,
      summary: 'Trading signals in by webhook, broker orders out exactly once.',
      description: `${readFileSync(new URL('first-steps.md', import.meta.url), 'utf8')}\n${errorTable()}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: chapters.map((name) => ({ name, description: CHAPTERS[name] })),
  }
}

const errorTable = (): string =>
  ['| code | status | meaning |', '|---|---|---|']
    .concat(
      Object.entries(ERRORS).map(([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`),
    )
    .join('\n')
