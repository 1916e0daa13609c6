import { registerHooks } from 'node:module'
import type { orderWorkflow } from '#workflows/manual-order/workflow.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'

const MARK = '?bare'
const temporal = new URL('./bare-workflow.ts', import.meta.url).href
const workflows = new URL('../../workflows/', import.meta.url).href

/** The code of the workflows, bound to a stage of its own on which one workflow lives at a time. */
export interface BareWorkflows {
  signalWorkflow: typeof signalWorkflow
  orderWorkflow: typeof orderWorkflow
  stage: typeof import('./bare-workflow.ts')
}

/**
 * The code of the workflows, loaded beside the usual one and bound to `bare-workflow.ts` in Temporal's place.
 *
 * @param copy each copy has a stage of its own, so that several workflows live side by side; '' is the one that
 *   `bare-workflow.ts` itself exports
 */
export async function loadBareWorkflows(copy: string): Promise<BareWorkflows> {
  const mark = `${MARK}${copy}`
  const stage = copy === '' ? temporal : temporal + mark
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (!context.parentURL?.endsWith(mark)) return next(specifier, context)
      if (specifier === '@temporalio/workflow') return { url: stage, shortCircuit: true }
      const found = next(specifier, context)
      return found.url.startsWith(workflows) ? { ...found, url: found.url + mark } : found
    },
  })
  try {
    const loaded = await Promise.all([
      import(`${workflows}signal/workflow.ts${mark}`) as Promise<Pick<BareWorkflows, 'signalWorkflow'>>,
      import(`${workflows}manual-order/workflow.ts${mark}`) as Promise<Pick<BareWorkflows, 'orderWorkflow'>>,
      import(stage) as Promise<BareWorkflows['stage']>,
    ])
    return { ...loaded[0], ...loaded[1], stage: loaded[2] }
  } finally {
    hooks.deregister()
  }
}

/** The code of the signal workflow on the stage that `bare-workflow.ts` itself exports. */
export const loadBareWorkflow = async (): Promise<typeof signalWorkflow> =>
  (await loadBareWorkflows('')).signalWorkflow
