import type { AnswerOf, Routes } from './types.ts'

type Route = keyof Routes

/** Requests one route, named by method and path such as `GET /api/v1/orders/{orderId}`. Rejects without an answer. */
export type Client = <R extends Route>(route: R, ...request: Routes[R]['request']) => Promise<AnswerOf<R>>

/**
 * A client of every API route. It needs only `fetch`.
 * @param origin such as http://127.0.0.1:3000
 * @param credential a token or a JWT
 * @param manner `keepalive`: requests outlive their page; `signal` ends them; `idempotencyKey` makes placing orders
 * safe to repeat; `renewalKey`: second half of a session in a cookie
 */
export function createClient(
  origin: string,
  credential?: string,
  {
    idempotencyKey,
    renewalKey,
    ...manner
  }: {
    keepalive?: boolean
    signal?: AbortSignal
    idempotencyKey?: string | undefined
    renewalKey?: string | undefined
  } = {},
): Client {
  return async (route, ...[request]) => {
    const [method, template] = route.split(' ') as [string, string]
    const { path = {}, query = {}, body } = (request ?? {}) as LooseRequest
    const address = new URL(
      template.replaceAll(/\{(\w{1,40})\}/g, (_, name: string) => encodeURIComponent(String(path[name]))),
      origin,
    )
    for (const [name, value] of Object.entries(query))
      for (const one of [value].flat()) if (one !== undefined) address.searchParams.append(name, String(one))
    const response = await fetch(address, {
      ...manner,
      method,
      headers: {
        ...(credential !== undefined && { Authorization: `Bearer ${credential}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...(renewalKey !== undefined && { 'Renewal-Key': renewalKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { status, headers } = response
    const isJson = headers.get('Content-Type')?.startsWith('application/json')
    const received: unknown = isJson ? await response.json() : await response.text()
    return { status, headers, body: received } as AnswerOf<typeof route>
  }
}

type Word = string | number | boolean

interface LooseRequest {
  path?: Record<string, Word>
  query?: Record<string, Word | readonly Word[] | undefined>
  body?: unknown
}
