import { registerHooks } from 'node:module'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'

const BARE = '?bare'
const temporal = new URL('./bare-workflow.ts', import.meta.url).href
const workflows = new URL('../../workflows/', import.meta.url).href

/** A module of the workflows, loaded beside the usual one and bound to `bare-workflow.ts` in Temporal's place. */
export async function loadBare<Module>(path: string): Promise<Module> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (!context.parentURL?.endsWith(BARE)) return next(specifier, context)
      if (specifier === '@temporalio/workflow') return { url: temporal, shortCircuit: true }
      const found = next(specifier, context)
      return found.url.startsWith(workflows) ? { ...found, url: found.url + BARE } : found
    },
  })
  try {
    return (await import(`${workflows}${path}${BARE}`)) as Module
  } finally {
    hooks.deregister()
  }
}

/** The code of the signal workflow, loaded like that. */
export async function loadBareWorkflow(): Promise<typeof signalWorkflow> {
  const loaded = await loadBare<{ signalWorkflow: typeof signalWorkflow }>('signal/workflow.ts')
  return loaded.signalWorkflow
}
