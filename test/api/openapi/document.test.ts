import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describeApi, partsOf } from '#api/openapi/document.ts'
import { ROUTES } from '#api/routes.ts'
import { DocumentedApi } from '../../support/documented-api.ts'

describe('the description of the API', () => {
  const document = describeApi(ROUTES)
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  )

  it('the description of the API is a valid OpenAPI 3.1 document', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    assert.ok(valid, JSON.stringify(errors, null, 2))
  })

  it('gives every operation an id of its own', () => {
    const ids = described.map(({ operation }) => operation.operationId)
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    )
  })

  it('the description of the API has an example for every body, and each fits its schema', () => {
    const api = new DocumentedApi(document)
    const faults: string[] = []
    for (const { name: route, tag, body, answers } of ROUTES) {
      if (tag === null) continue
      const { method, path } = partsOf(route)
      for (const [words, example] of Object.entries(body?.examples ?? {}))
        faults.push(...api.faultsInRequest(method, path, example).map((it) => `${route}, ${words}: ${it}`))
      if (body && Object.keys(body.examples).length === 0) faults.push(`${route}: no example of a body`)
      for (const [status, { schema, examples = {} }] of Object.entries(answers)) {
        if (schema && Object.keys(examples).length === 0) faults.push(`${route}: no example for ${status}`)
        for (const [words, example] of Object.entries(examples))
          faults.push(
            ...api
              .faultsInAnswer(method, path, Number(status), example)
              .map((it) => `${route} ${status}, ${words}: ${it}`),
          )
      }
    }
    assert.deepEqual(faults, [])
  })

  it('the description of the API has an example of every error, and each fits its schema', () => {
    const api = new DocumentedApi(document)
    const faults: string[] = []
    let examined = 0
    for (const [name, { content }] of Object.entries(document.components.responses)) {
      const examples = Object.values(content?.['application/json']?.examples ?? {}) as { value: unknown }[]
      examined += examples.length
      faults.push(
        ...examples.flatMap(({ value }) => api.faultsInError(name, value)).map((it) => `${name}: ${it}`),
      )
    }
    assert.deepEqual(faults, [])
    assert.ok(examined > 20)
  })
})
