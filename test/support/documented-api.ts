import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { OpenApiDocument } from '#api/openapi/document.ts'

const JSON_BODY = ['content', 'application/json', 'schema']

/** The description of the API as what it is for: something that requests and answers can be held against. */
export class DocumentedApi {
  readonly #document: OpenApiDocument
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true })
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: OpenApiDocument) {
    this.#document = document
    addFormats.default(this.#ajv)
    this.#ajv.addSchema(document, 'api')
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
    const [mediaType] = Object.keys(answer.content)
    const steps = ['responses', String(status), 'content', mediaType!, 'schema']
    return this.#faults(['paths', path, method, ...steps], body)
  }

  /** What is wrong with the body of an answer that is described under a name of its own. */
  faultsInError(name: string, body: unknown): string[] {
    return this.#faults(['components', 'responses', name, ...JSON_BODY], body)
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
