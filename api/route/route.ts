import type { Slice } from '#db/engine/page.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { z } from 'zod'
import type { Access, RoutePolicy } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import type { Principal } from '../http/principal.ts'
import type { ApiContext } from '../http/context.ts'
import { envelopeFamilyOf, standardAnswer, exampleAnswer } from '#contract/envelopes.ts'
import type { ErrorCode } from '#contract/errors.ts'
import { presentPaging, type AskedPage, type OrderOf } from '../http/paging.ts'
import type { JsonObject } from '#contract/values/fields.ts'
import { noQuery, type paging } from '#contract/values/query.ts'
import type {
  Endpoint,
  Method,
  RouteName,
  Answer,
  Answers,
  PathParameter,
  RequestBody,
} from '#contract/endpoint.ts'

type PathValues<P> = {
  [K in keyof P]: P[K] extends { schema: infer S extends z.ZodType } ? z.output<S> : never
}
type BodyValue<B> = B extends { read: (body: JsonObject, text: string) => infer T }
  ? T
  : B extends { schema: infer S extends z.ZodObject }
    ? z.output<S>
    : undefined
type AnswerValue<A> = {
  [S in keyof A]: A[S] extends { schema: infer T extends z.ZodType } ? z.output<T> : null
}[keyof A]

export interface Asked<Who extends Principal | null, P, Q extends z.ZodObject, B> {
  me: Who
  em: EntityManager
  caller: Caller<Who>
  path: PathValues<P>
  query: z.output<Q>
  body: BodyValue<B>
  /** For headers, cookies, and routes returning {@link WRITTEN}. */
  http: ApiContext
}

export interface AskedList<Who extends Principal | null, P, Q extends z.ZodObject> extends Omit<
  Asked<Who, P, Q, undefined>,
  'query'
> {
  filter: Omit<z.output<Q>, keyof typeof paging>
  page: AskedPage
}

export class Reply<T> {
  readonly status: number
  readonly data: T

  constructor(status: number, data: T) {
    this.status = status
    this.data = data
  }
}

class Written {
  readonly isWritten = true
}
export const WRITTEN = new Written()

interface Served<Who extends Principal | null> {
  access: Access<Who>
  /**
   * `within`: slow work that bounds its database work itself. `around` (default): all work ends before the database
   * deadline.
   */
  deadline?: 'around' | 'within'
}

type Described<P, Q, B, A> = Omit<Endpoint, 'path' | 'query' | 'body' | 'answers'> & {
  name: RouteName
  path?: P
  query?: Q
  body?: B
  answers: A
}

/**
 * Read by router, guards, OpenAPI and tests.
 * @typeParam D dependencies of the work
 */
export interface Route<D = never> {
  name: RouteName
  method: Method
  address: string
  access: RoutePolicy
  tag: string | null
  summary: string
  description?: string | undefined
  path: Readonly<Record<string, PathParameter>>
  query: z.ZodObject
  headers?: z.ZodObject | undefined
  body?: RequestBody | undefined
  list?: OrderOf<never> | undefined
  answers: Answers
  errors: readonly ErrorCode[]
  deadline: 'around' | 'within'
  isEnveloped: boolean
  run(asked: never, deps: D): unknown
}

type None = {}

/** `run` returns data, a {@link Reply} for another status, or {@link WRITTEN}. */
export function route<
  Who extends Principal | null,
  A extends Answers,
  P extends Readonly<Record<string, PathParameter>> = None,
  Q extends z.ZodObject = typeof noQuery,
  B extends RequestBody | undefined = undefined,
  D = unknown,
>(
  endpoint: Described<P, Q, B, A>,
  served: Served<Who> & {
    run: (asked: Asked<Who, P, Q, B>, deps: D) => Result<AnswerValue<A>> | Promise<Result<AnswerValue<A>>>
  },
): Route<D> {
  return asRoute(endpoint, served, undefined)
}

type Result<T> = T | Reply<T> | Written

export function listRoute<
  Who extends Principal | null,
  A extends Answers,
  Q extends z.ZodObject<typeof paging>,
  T,
  P extends Readonly<Record<string, PathParameter>> = None,
  D = unknown,
>(
  endpoint: Described<P, Q, undefined, A>,
  served: Served<Who> & {
    list: {
      order: OrderOf<AskedList<Who, P, Q>['filter']>
      rows: string
      present: (row: T, me: Who, deps: D) => object
    }
    run: (asked: AskedList<Who, P, Q>, deps: D) => Promise<Slice<T>>
  },
): Route<D> {
  const { list, run, ...rest } = served
  const shown = async (asked: AskedList<Who, P, Q>, deps: D) => {
    const slice = await run(asked, deps)
    const rows = slice.items.map((row) => list.present(row, asked.me, deps))
    return { [list.rows]: rows, ...presentPaging(slice, asked.page) }
  }
  return asRoute(endpoint, { ...rest, run: shown }, list.order)
}

function asRoute<Who extends Principal | null, P, Q, B, A extends Answers, D>(
  endpoint: Described<P, Q, B, A>,
  served: Served<Who> & { run: (asked: never, deps: D) => unknown },
  list: OrderOf<never> | undefined,
): Route<D> {
  const { name, query = noQuery, body, answers } = endpoint
  const path = (endpoint.path ?? {}) as Readonly<Record<string, PathParameter>>
  const [method, address] = name.split(' ') as [Method, string]
  const parameters = [...address.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter)
  if (parameters.join() !== Object.keys(path).join())
    throw new Error(`${name} does not declare its path as it is named: ${Object.keys(path).join()}`)
  const isEnveloped =
    address.startsWith('/api/v1') &&
    envelopeFamilyOf(method, address) === 'standard' &&
    Object.values(answers).every(({ mediaType }) => mediaType === undefined)
  return {
    ...endpoint,
    ...served,
    method,
    address,
    path,
    query: query as z.ZodObject,
    body: body as RequestBody | undefined,
    list,
    answers: isEnveloped ? mapAnswers(answers) : answers,
    deadline: served.deadline ?? (served.access.work === 'ordinary' ? 'around' : 'within'),
    isEnveloped,
  }
}

const mapAnswers = (answers: Answers): Answers =>
  Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      isSuccess(Number(status)) ? enveloped(answer) : answer,
    ]),
  )

const enveloped = ({ schema, examples = {}, ...rest }: Answer): Answer => ({
  ...rest,
  schema: schema && standardAnswer(schema),
  examples: Object.fromEntries(Object.entries(examples).map(([words, data]) => [words, exampleAnswer(data)])),
})

export const isSuccess = (status: number): boolean => status < 300
