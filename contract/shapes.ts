import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import type { ERRORS, ErrorCode, Fault } from './errors.ts'
import type { accountEndpoints } from './account/endpoints.ts'
import type { adminEndpoints } from './admin.ts'
import type { agendaEndpoints } from './signal/agenda.ts'
import type { alertEndpoints } from './alerts.ts'
import type { assetEndpoints } from './assets.ts'
import type { brokerEndpoints } from './broker/endpoints.ts'
import type { dashboardEndpoints } from './account/dashboard.ts'
import type { statisticsEndpoints } from './position/statistics.ts'
import type { desktopEndpoints } from './desktop.ts'
import type { eventEndpoints } from './events.ts'
import type { exportEndpoints } from './export.ts'
import type { flattenEndpoints } from './position/flatten.ts'
import type { groupEndpoints } from './group/endpoints.ts'
import type { serviceEndpoints, mailboxEndpoints, referenceEndpoints, webAppEndpoints } from './service.ts'
import type { hookAddressEndpoints, hookEndpoints, hookSecretEndpoints } from './hook/endpoints.ts'
import type { intakeEndpoints, hookRequestEndpoints } from './hook/messages.ts'
import type { deviceEndpoints, ownAccountEndpoints } from './identity/access.ts'
import type { tokenEndpoints } from './identity/tokens.ts'
import type { passwordEndpoints, secondFactorEndpoints, signInEndpoints } from './identity/sign-in.ts'
import type { marketEndpoints } from './market.ts'
import type { cancelAllEndpoints, orderEndpoints, letGoEndpoints } from './order/endpoints.ts'
import type { placeEndpoints } from './order/placing.ts'
import type { positionEndpoints } from './position/positions.ts'
import type { channelEndpoints } from './notify/endpoints.ts'
import type { haltEndpoints, riskEndpoints } from './risk/endpoints.ts'
import type { decisionEndpoints, protectionEndpoints } from './signal/decisions.ts'
import type { signalEndpoints } from './signal/endpoints.ts'
import type { timingEndpoints } from './signal/timing.ts'
import type { strategyEndpoints } from './signal/strategies.ts'
import type { tradeEndpoints } from './position/trades.ts'
import type { EnvelopeFamily } from './envelopes.ts'

type Endpoints = typeof accountEndpoints &
  typeof adminEndpoints &
  typeof agendaEndpoints &
  typeof alertEndpoints &
  typeof assetEndpoints &
  typeof brokerEndpoints &
  typeof dashboardEndpoints &
  typeof statisticsEndpoints &
  typeof desktopEndpoints &
  typeof eventEndpoints &
  typeof exportEndpoints &
  typeof flattenEndpoints &
  typeof groupEndpoints &
  typeof serviceEndpoints &
  typeof hookAddressEndpoints &
  typeof hookEndpoints &
  typeof intakeEndpoints &
  typeof hookRequestEndpoints &
  typeof hookSecretEndpoints &
  typeof deviceEndpoints &
  typeof ownAccountEndpoints &
  typeof passwordEndpoints &
  typeof secondFactorEndpoints &
  typeof signInEndpoints &
  typeof tokenEndpoints &
  typeof mailboxEndpoints &
  typeof marketEndpoints &
  typeof referenceEndpoints &
  typeof cancelAllEndpoints &
  typeof orderEndpoints &
  typeof letGoEndpoints &
  typeof placeEndpoints &
  typeof positionEndpoints &
  typeof channelEndpoints &
  typeof haltEndpoints &
  typeof riskEndpoints &
  typeof decisionEndpoints &
  typeof signalEndpoints &
  typeof protectionEndpoints &
  typeof timingEndpoints &
  typeof strategyEndpoints &
  typeof tradeEndpoints &
  typeof webAppEndpoints

/** `/api/v1/orders/:orderId` as `/api/v1/orders/{orderId}`. */
type Written<Name> = Name extends `${infer Before}:${infer Parameter}/${infer After}`
  ? `${Before}{${Parameter}}/${Written<After>}`
  : Name extends `${infer Before}:${infer Parameter}`
    ? `${Before}{${Parameter}}`
    : Name

type Bare = 'orders' | 'accounts' | 'positions'

type FamilyOf<Name> = Name extends 'POST /api/v1/signals' | `POST /hooks/${string}`
  ? 'signal-creation'
  : Name extends `${string} /api/v1/${Bare}` | `${string} /api/v1/${Bare}/${string}`
    ? 'bare'
    : 'standard'

type IsEnveloped<Name, Answers> = Name extends `${string} /api/v1${string}`
  ? FamilyOf<Name> extends 'standard'
    ? Extract<Answers[keyof Answers], { mediaType: string }> extends never
      ? true
      : false
    : false
  : false

/** A refusal in its family's form. */
type Refusal<F extends EnvelopeFamily, Code> = { requestId: string } & (F extends 'bare'
  ? { error: Code; message: string; details?: Fault[] }
  : { error: string; code: Code; details: Fault[] } & (F extends 'signal-creation' ? { success: false } : {}))

/** Every family answers 429 alike. */
interface RateLimited {
  error: 'rate_limited'
  message: string
  code: 'RATE_LIMIT_EXCEEDED'
  /** Seconds. */
  retryAfter: number
  requestId: string
}

type StatusOf<Code extends ErrorCode> = (typeof ERRORS)[Code]['status']

/** An optional field takes null too, except in a change, where absent fields stay. */
type Body<Name, S> = S extends z.ZodType
  ? Name extends `PATCH ${string}`
    ? z.input<S>
    : { [K in keyof z.input<S>]: OrNull<z.input<S>[K]> }
  : never
type OrNull<Value> = undefined extends Value ? Value | null : Value

type Part<Name extends string, Value> = {} extends Value ? { [K in Name]?: Value } : { [K in Name]: Value }

type Asked<Name, E> = (E extends { path: infer P }
  ? { path: { [K in keyof P]: P[K] extends { schema: z.ZodType } ? string : never } }
  : {}) &
  (E extends { query: infer Q extends z.ZodObject } ? Part<'query', z.input<Q>> : {}) &
  (E extends { body: { schema: infer S; optional: true } }
    ? { body?: Body<Name, S> }
    : E extends { body: { schema: infer S } }
      ? { body: Body<Name, S> }
      : {})

type Request<Parts> = keyof Parts extends never ? [] : {} extends Parts ? [request?: Parts] : [request: Parts]

type Data<A> = A extends { mediaType: string }
  ? string
  : A extends { schema: infer S extends z.ZodType }
    ? z.output<S>
    : null

type Enveloped<Name, A, Body> = IsEnveloped<Name, A> extends true ? { data: Body; requestId: string } : Body

type CodesOf<E extends Endpoint> = E['errors'][number] | 'VALIDATION_ERROR'

/** A shared status has both bodies. */
type Answers<Name, E extends Endpoint> = {
  [S in keyof E['answers']]:
    | (S extends 200 | 201 | 202
        ? Enveloped<Name, E['answers'], Data<E['answers'][S]>>
        : Data<E['answers'][S]>)
    | (S extends StatusOf<CodesOf<E>> ? Refusal<FamilyOf<Name>, CodesOf<E>> : never)
}

/** The request and answers of each route, by method and path. */
export type Routes = {
  [Name in keyof Endpoints as Endpoints[Name] extends { tag: null } ? never : Written<Name>]: {
    request: Request<Asked<Name, Endpoints[Name]>>
    answers: Endpoints[Name] extends infer E extends Endpoint ? Answers<Name, E> : never
    refusal: Refusal<FamilyOf<Name>, ErrorCode>
  }
}

/** An answer of a route by its status: its body, or a refusal. */
export type AnswerOf<R extends keyof Routes> =
  | {
      [S in keyof Routes[R]['answers']]: { status: S; headers: Headers; body: Routes[R]['answers'][S] }
    }[keyof Routes[R]['answers']]
  | {
      status: Exclude<StatusOf<ErrorCode>, keyof Routes[R]['answers'] | 429>
      headers: Headers
      body: Routes[R]['refusal']
    }
  | { status: 429; headers: Headers; body: RateLimited }
