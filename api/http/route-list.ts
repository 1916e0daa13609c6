import type { RouteMiddleware } from './context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route as its resource declares it. */
export interface Route {
  /** As the access policy names it, such as `GET /api/v1/orders/:orderId`. */
  name: string
  method: Method
  /** Such as `/api/v1/orders/:orderId`. */
  path: string
  /** Run in this order, behind the guard that the access policy asks for. */
  handlers: readonly RouteMiddleware[]
}

/**
 * The routes of a resource. A list only declares: nothing in it answers a request, and nothing in it names a guard.
 * `createRouter` makes each of its routes reachable, and puts the guard of its policy before it.
 */
export class RouteList {
  readonly routes: Route[] = []
  readonly #prefix: string

  /** @param prefix what all addresses of the list begin with, such as `/api/v1/orders` */
  constructor(prefix = '') {
    this.#prefix = prefix
  }

  /** Answers HEAD as well. */
  get(path: string, ...handlers: RouteMiddleware[]): void {
    this.#add('GET', path, handlers)
  }
  post(path: string, ...handlers: RouteMiddleware[]): void {
    this.#add('POST', path, handlers)
  }
  put(path: string, ...handlers: RouteMiddleware[]): void {
    this.#add('PUT', path, handlers)
  }
  patch(path: string, ...handlers: RouteMiddleware[]): void {
    this.#add('PATCH', path, handlers)
  }
  delete(path: string, ...handlers: RouteMiddleware[]): void {
    this.#add('DELETE', path, handlers)
  }

  #add(method: Method, end: string, handlers: RouteMiddleware[]): void {
    const path = this.#prefix + end
    this.routes.push({ name: `${method} ${path}`, method, path, handlers })
  }
}
