import { documentedApi } from './documented-api.ts'

/** An answer of the API. `body` is whatever JSON it sent. */
export interface ApiAnswer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect in it
  body: any
  /** Milliseconds until the whole answer was there. */
  tookMs: number
}

/** Speaks to the API as somebody with a token or a JWT does. Throws when no answer comes. */
export class ApiClient {
  readonly origin: string
  readonly token: string

  /** @param origin such as http://127.0.0.1:3000 */
  constructor(origin: string, token: string) {
    this.origin = origin
    this.token = token
  }

  /** @param path below /api/v1, such as /signals */
  post(
    path: string,
    body: object,
    timeoutMs = 10_000,
    more: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${this.token}`,
      ...more,
    }
    return this.#send(`/api/v1${path}`, { method: 'POST', body: JSON.stringify(body), headers }, timeoutMs)
  }

  /** @param path below /api/v1, such as /orders?limit=1 */
  get(path: string, timeoutMs = 10_000): Promise<ApiAnswer> {
    return this.#send(`/api/v1${path}`, { headers: { authorization: `Bearer ${this.token}` } }, timeoutMs)
  }

  /** @param path below /api/v1, such as /settings/risk/ID */
  put(path: string, body: object, timeoutMs = 10_000): Promise<ApiAnswer> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.token}` }
    return this.#send(`/api/v1${path}`, { method: 'PUT', body: JSON.stringify(body), headers }, timeoutMs)
  }

  /** @param path below /api/v1, such as /strategies/ID */
  patch(path: string, body: object, timeoutMs = 10_000): Promise<ApiAnswer> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.token}` }
    return this.#send(`/api/v1${path}`, { method: 'PATCH', body: JSON.stringify(body), headers }, timeoutMs)
  }

  /** @param path below /api/v1, such as /signals/ID */
  delete(path: string, timeoutMs = 10_000): Promise<ApiAnswer> {
    const headers = { authorization: `Bearer ${this.token}` }
    return this.#send(`/api/v1${path}`, { method: 'DELETE', headers }, timeoutMs)
  }

  /** /readyz: which parts the API can see. */
  readiness(): Promise<ApiAnswer> {
    return this.#send('/readyz', {}, 5_000)
  }

  async #send(path: string, init: RequestInit, timeoutMs: number): Promise<ApiAnswer> {
    const sentAt = performance.now()
    const response = await fetch(`${this.origin}${path}`, {
      ...init,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const body: unknown = await response.json()
    documentedApi().hold(init.method ?? 'GET', path, {
      status: response.status,
      headers: response.headers,
      body,
    })
    return {
      status: response.status,
      headers: response.headers,
      body,
      tookMs: performance.now() - sentAt,
    }
  }
}
