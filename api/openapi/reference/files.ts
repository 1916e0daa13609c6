import { readFileSync } from 'node:fs'
import { tagOf } from '../../http/cached-answer.ts'

export interface ReferenceFile {
  name: string
  bytes: Buffer
  tag: string
}

const ADDRESSES: Readonly<Record<string, string>> = {
  'swagger-ui.css': import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'reference.css': import.meta.resolve('./reference.css'),
  'start.js': import.meta.resolve('./start.js'),
}

/** By name; read once, since they change only with the installation. */
export const readReferenceFiles = (): ReadonlyMap<string, ReferenceFile> =>
  new Map(
    Object.entries(ADDRESSES).map(([name, address]) => {
      const bytes = readFileSync(new URL(address))
      return [name, { name, bytes, tag: tagOf(bytes) }]
    }),
  )
