import assert from 'node:assert/strict'
import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { ERRORS } from '#contract/errors.ts'
import { describeApi, UNMATCHED, type OpenApiDocument } from '#api/openapi/document.ts'
import { ROUTES } from '#api/routes.ts'

const JSON_BODY = ['content', 'application/json', 'schema']
/** Pages for people, which the description of the API does not list. */
export const PAGES = /^\/(docs|mailbox)\b/

/** An answer as it came. */
export interface SeenAnswer {
  status: number
  headers: Headers
  /** Null where there is none. */
  body: unknown
}

/** The description of the API as what it is for: something that requests and answers can be held against. */
export class DocumentedApi {
  readonly #document: OpenApiDocument
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true })
  readonly #compiled = new Map<string, ValidateFunction>()
  readonly #paths: { path: string; pattern: RegExp }[]

  constructor(document: OpenApiDocument) {
    this.#document = document
    addFormats.default(this.#ajv)
    this.#ajv.addSchema(document, 'api')
    this.#paths = Object.keys(document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }))
  }

  /** Throws when an answer is none that the description lists for the request. */
  hold(method: string, address: string, { status, headers, body }: SeenAnswer): void {
    const { pathname } = new URL(address, 'http://127.0.0.1')
    if (PAGES.test(pathname) || method === 'OPTIONS') return
    const faults = this.#faultsInSeen(
      method === 'HEAD' ? 'get' : method.toLowerCase(),
      pathname,
      status,
      body,
    )
    if (!headers.has('x-request-id')) faults.push('there is no X-Request-Id')
    if (body !== null && !headers.get('content-type')?.startsWith('application/json'))
      faults.push(`the body is ${headers.get('content-type')}`)
    if (status === 429 && !headers.has('retry-after')) faults.push('there is no Retry-After')
    const shown = JSON.stringify(body)?.slice(0, 2_000)
    assert.deepEqual(
      faults,
      [],
      `${method} ${pathname} answered what its description does not list: ${status} ${shown}`,
    )
  }

  /** What is wrong with the body of a request; method in lower case, path as in the document. */
  faultsInRequest(method: string, path: string, body: unknown): string[] {
    return this.#faults(['paths', path, method, 'requestBody', ...JSON_BODY], body)
  }

  /** What is wrong with the body of an answer. */
  faultsInAnswer(method: string, path: string, status: number, body: unknown): string[] {
    const answer = this.#document.paths[path]?.[method]?.responses[status]
    if (!answer) return [`${method} ${path} does not answer ${status}`]
    if ('$ref' in answer) return this.faultsInError(answer.$ref.split('/').at(-1)!, body)
    if (!answer.content) return body === null ? [] : ['there is no body by the description']
    const mediaType = Object.keys(answer.content)[0]!
    return this.#faults(
      ['paths', path, method, 'responses', String(status), 'content', mediaType, 'schema'],
      body,
    )
  }

  /** What is wrong with the body of an answer that is described under a name of its own. */
  faultsInError(name: string, body: unknown): string[] {
    return this.#faults(['components', 'responses', name, ...JSON_BODY], body)
  }

  #faultsInSeen(method: string, pathname: string, status: number, body: unknown): string[] {
    // `/signals/process` is not a signal.
    const all = this.#paths.filter(({ pattern }) => pattern.test(pathname))
    const writtenOut = all.filter(({ path }) => !path.includes('{'))
    const matching = writtenOut.length > 0 ? writtenOut : all
    const found = matching.find(({ path }) => this.#document.paths[path]![method])
    // An answer to HEAD has no body to look at.
    if (found) return body === null ? [] : this.faultsInAnswer(method, found.path, status, body)
    const code = UNMATCHED.find((known) => ERRORS[known].status === status)
    const isThere = matching.length > 0
    if (code === undefined || (isThere ? code === 'NOT_FOUND' : code === 'METHOD_NOT_ALLOWED'))
      return ['there is no such route']
    return this.faultsInError(`standard.${code}`, body)
  }

  #faults(steps: string[], value: unknown): string[] {
    const pointer = steps
      .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    let validate = this.#compiled.get(pointer)
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `api#/${pointer}` })
      this.#compiled.set(pointer, validate)
    }
    return validate(value)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
        )
  }
}

let known: DocumentedApi | undefined

/** The API as it is described, put together once in a process. */
export const documentedApi = (): DocumentedApi => (known ??= new DocumentedApi(describeApi(ROUTES)))
