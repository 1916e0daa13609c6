import { readFileSync } from 'node:fs'
import { tagOf } from '../../http/cached-answer.ts'

/** A file that the page of the reference is made of. */
export interface ReferenceFile {
  /** Its name below /docs. */
  name: string
  bytes: Buffer
  /** Changes with its contents. */
  tag: string
}

const ADDRESSES: Readonly<Record<string, string>> = {
  'swagger-ui.css': import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'reference.css': import.meta.resolve('./reference.css'),
  'start.js': import.meta.resolve('./start.js'),
}

/** Reads the files once, by their names: they change with the installation only, and asking for them costs no disk. */
export const readReferenceFiles = (): ReadonlyMap<string, ReferenceFile> =>
  new Map(
    Object.entries(ADDRESSES).map(([name, address]) => {
      const bytes = readFileSync(new URL(address))
      return [name, { name, bytes, tag: tagOf(bytes) }]
    }),
  )
