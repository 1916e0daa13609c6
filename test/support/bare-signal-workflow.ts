import { registerHooks } from 'node:module'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import type * as Stage from './bare-workflow.ts'

const BARE = '?bare'
const temporal = new URL('./bare-workflow.ts', import.meta.url).href
const workflows = new URL('../../workflows/', import.meta.url).href

/** Where the modules of a copy have `bare-workflow.ts`; that of the copy '' is the usual one. */
const stageOf = (copy: string): string => (copy === '' ? temporal : `${temporal}${BARE}${copy}`)

/**
 * A module of the workflows, loaded beside the usual one and bound to `bare-workflow.ts` in Temporal's place.
 *
 * @param copy modules of copies with other names know nothing of each other
 */
export async function loadBare<Module>(path: string, copy = ''): Promise<Module> {
  const mark = `${BARE}${copy}`
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (!context.parentURL?.endsWith(mark)) return next(specifier, context)
      if (specifier === '@temporalio/workflow') return { url: stageOf(copy), shortCircuit: true }
      const found = next(specifier, context)
      return found.url.startsWith(workflows) ? { ...found, url: found.url + mark } : found
    },
  })
  try {
    return (await import(`${workflows}${path}${mark}`)) as Module
  } finally {
    hooks.deregister()
  }
}

/** What stands in Temporal's place for the modules of a copy. */
export const loadStage = async (copy: string): Promise<typeof Stage> =>
  (await import(stageOf(copy))) as typeof Stage

/** The code of the signal workflow, loaded like that. */
export async function loadBareWorkflow(): Promise<typeof signalWorkflow> {
  const loaded = await loadBare<{ signalWorkflow: typeof signalWorkflow }>('signal/workflow.ts')
  return loaded.signalWorkflow
}
