import { registerHooks } from 'node:module'
import { readSubstitutes } from './substitutes.ts'

/**
 * Loaded before a process of the service, puts modules of a test in the place of some of its own. What runs is the
 * process as it is run in production, and no part of it knows of tests.
 */
const substitutes = readSubstitutes(process.env)

registerHooks({
  resolve(specifier, context, next) {
    const importer = context.parentURL ?? ''
    const substitute = substitutes.find(
      (each) => each.specifier === specifier && importer.endsWith(`/${each.importer}`),
    )
    return substitute ? { url: substitute.url, shortCircuit: true } : next(specifier, context)
  },
})
