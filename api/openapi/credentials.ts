import type { RoutePolicy } from '../access/policy.ts'
import type { CredentialKind } from '../http/principal.ts'

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
