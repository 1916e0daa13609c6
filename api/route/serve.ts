import { addressBucket } from '../access/client-address.ts'
import { callerOf, type Caller, requireSender } from '../http/caller.ts'
import { senderOf, type Principal } from '../http/principal.ts'
import type { ApiContext, RouteMiddleware } from '../http/context.ts'
import { hasBody, jsonBytesOf, readJsonDocument, readText, refuseBody } from '../http/body.ts'
import { beforeDatabaseDeadline } from '../http/deadline.ts'
import { standardSuccess } from '#contract/envelopes.ts'
import { ApiError, validationError } from '#contract/errors.ts'
import { readListQuery, type OrderOf, readQuery } from '../http/paging.ts'
import { type QueueCaller, readInTurn, type WorkBounds } from '../http/work-bounds.ts'
import { faultsIn, readFields } from '#contract/values/fields.ts'
import { isSuccess, Reply, WRITTEN, type Route } from './route.ts'
import type { RequestBody } from '#contract/endpoint.ts'

/** Rejects everything undeclared. */
export const serve =
  <D>(route: Route<D>, deps: D & { work: WorkBounds }): RouteMiddleware =>
  async (ctx) => {
    const asked = await readRequest(route, ctx, deps.work)
    const work = Promise.resolve(route.run(asked as never, deps))
    const done = await (route.deadline === 'around' ? beforeDatabaseDeadline(ctx, work) : work)
    if (done === WRITTEN) return
    const { status, data } =
      done instanceof Reply ? (done as Reply<unknown>) : new Reply<unknown>(firstStatusOf(route), done)
    ctx.status = status
    const isEnveloped = route.isEnveloped && isSuccess(status)
    ctx.body = isEnveloped ? standardSuccess(data, ctx.state.requestId) : data
  }

const firstStatusOf = ({ answers }: Pick<Route, 'answers'>): number => Number(Object.keys(answers)[0])

/** Throws {@link ApiError}; query and body faults first. */
async function readRequest(route: Route, ctx: ApiContext, work: WorkBounds): Promise<object> {
  const { query, list } = route
  const read = list
    ? readListQuery(ctx, query as never, list as OrderOf<object>)
    : { query: readQuery(ctx, query) }
  const me = ctx.state.principal ?? null
  const caller = callerOf(ctx, me)
  const body = await readBody(ctx, route, caller, work)
  return {
    ...read,
    me,
    em: ctx.state.em,
    caller,
    path: readPath(ctx, route),
    body,
    http: ctx,
  }
}

async function readBody(
  ctx: ApiContext,
  { body, access }: Pick<Route, 'body' | 'access'>,
  caller: Caller<Principal | null>,
  work: WorkBounds,
): Promise<unknown> {
  if (!body) return refuseBody(ctx)
  if (body.isAnyText) return readText(ctx)
  if (body.optional === true && !hasBody(ctx)) return readDocument(ctx, body, { body: {}, text: '' })
  const bytes = await jsonBytesOf(ctx, body)
  const read = (): unknown => readDocument(ctx, body, readJsonDocument(bytes))
  if (access.work === 'stopping') return read()
  const waiting = { noteWait: caller.noteWait, requireSender: () => requireSender(ctx, access.work) }
  return readInTurn(work, turnOf(caller), waiting, bytes.length, read)
}

const turnOf = ({ principal, ip }: Caller<Principal | null>): QueueCaller =>
  principal ? senderOf(principal) : `ip:${addressBucket(ip)}`

function readDocument(
  ctx: ApiContext,
  body: RequestBody,
  { body: json, text }: ReturnType<typeof readJsonDocument>,
): unknown {
  ctx.state.isDryRun = json['dryRun'] === true
  if (body.read) return body.read(json, text)
  // In a PATCH null must not count as absent.
  const { values, faults } = readFields(body.schema.shape, json, { nullIsAbsent: ctx.method !== 'PATCH' })
  if (faults.length > 0) throw validationError(faults)
  return values
}

function readPath(ctx: ApiContext, { path }: Pick<Route, 'path'>): Record<string, unknown> {
  const entries = Object.entries(path).map(([name, { schema, absent }]) => {
    const { success, data, error } = schema.safeParse(ctx.params[name])
    if (success) return [name, data]
    throw absent ? new ApiError(absent) : validationError(faultsIn(error, [name]))
  })
  return Object.fromEntries(entries) as Record<string, unknown>
}
