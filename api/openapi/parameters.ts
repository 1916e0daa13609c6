import type { z } from 'zod'
import type { JsonSchema, SchemaBook } from './json-schema.ts'
import type { Route } from '../route/route.ts'

/** The parameters of a route. */
export const parametersOf = (book: SchemaBook, { path, query, headers }: Route): object[] => [
  ...parametersIn(book, 'path', shapeOf(path)),
  ...parametersIn(book, 'query', query.shape),
  ...parametersIn(book, 'header', headers?.shape),
]

function parametersIn(
  book: SchemaBook,
  where: 'path' | 'query' | 'header',
  fields: Readonly<Record<string, z.ZodType>> = {},
): object[] {
  return Object.entries(fields).map(([name, field]) => {
    const { description, ...rest } = withoutText(book.ofRequest(field))
    return {
      name,
      in: where,
      required: where === 'path' || !field.safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

const shapeOf = (path: Route['path']): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(path).map(([name, { schema }]) => [name, schema]))

/** In an address everything is text: a number that may also be text is a number there. */
function withoutText(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  const forms = Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : []
  const [number, text] = forms
  const isEither =
    forms.length === 2 && /^(number|integer)$/.test(String(number!['type'])) && text!['type'] === 'string'
  return isEither ? { ...number, ...rest } : schema
}
