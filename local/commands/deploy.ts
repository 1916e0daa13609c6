import { createDeploymentGateway, type DeploymentGateway } from '#api/temporal/deployments.ts'
import { apiSettings, deploymentSettings, readSettings } from '#config/env.ts'
import { failpoint } from '#config/failpoint.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  announceBuild,
  patchesByBuild,
  promoteBuild,
  promotionsOf,
  withdrawBuild,
  workersByBuild,
} from '#db/watch/worker-builds.ts'
import {
  buildToGoBackTo,
  buildToPromote,
  buildToRollOut,
  RollOutRefused,
  type RollOut,
} from '#domain/roll-out.ts'
import { readLocalSettings } from '../start/ports.ts'

/** The subject of a roll-out, and its means. */
export interface Deployment {
  em: EntityManager
  gateway: DeploymentGateway
  taskQueue: string
  deploymentName: string
}

/** Opens the deployment that the settings name; close its gateway afterwards. */
export function openDeployment(em: EntityManager): Deployment {
  const { TEMPORAL_ADDRESS, TEMPORAL_PORT } = readLocalSettings()
  const settings = {
    ...readSettings(apiSettings),
    ...readSettings(deploymentSettings),
    TEMPORAL_ADDRESS: TEMPORAL_ADDRESS ?? `127.0.0.1:${TEMPORAL_PORT}`,
  }
  return {
    em,
    gateway: createDeploymentGateway(settings),
    taskQueue: settings.TEMPORAL_TASK_QUEUE,
    deploymentName: settings.WORKER_DEPLOYMENT,
  }
}

/** How the roll-out stands. Throws {@link RollOutRefused} where there is no deployment. */
export async function readRollOut({ em, gateway, taskQueue, deploymentName }: Deployment): Promise<RollOut> {
  const routing = await gateway.read()
  if (!routing)
    throw new RollOutRefused(
      `Temporal knows no deployment ${deploymentName}: start workers with WORKER_VERSIONING=deployment first.`,
    )
  const [workers, promotions] = await Promise.all([workersByBuild(em, taskQueue), promotionsOf(em)])
  return {
    percent: routing.percent,
    builds: routing.builds.map((build) => ({
      ...build,
      workers: workers.get(build.id) ?? 0,
      wasRolledOut: promotions.has(build.id),
      promotedAt: promotions.get(build.id) ?? null,
    })),
  }
}

/** Each build with its share of the tasks, its workers and its patches, a line each. */
export async function deploymentStatus(deployment: Deployment): Promise<string> {
  const { builds, percent } = await readRollOut(deployment)
  const patches = await patchesByBuild(deployment.em)
  const share = { current: 100 - percent, ramping: percent, idle: 0 }
  return builds
    .map(({ id, state, workers, promotedAt }) => {
      const used = patches.get(id)
      return [
        id,
        state.padEnd(7),
        `${String(share[state]).padStart(3)} % of the tasks`,
        `${workers} ${workers === 1 ? 'worker' : 'workers'}`,
        ...(used ? [`patches used: ${used.join(', ')}`] : []),
        ...(state === 'current' && promotedAt === null ? ['not promoted: what it brings newly is off'] : []),
      ].join('  ')
    })
    .join('\n')
}

/** Gives a build a part of the tasks. Throws {@link RollOutRefused}. */
export async function ramp(
  deployment: Deployment,
  percent: number,
  wanted: string | undefined,
): Promise<string> {
  const { id, state } = buildToRollOut(await readRollOut(deployment), wanted)
  if (state === 'current') throw new RollOutRefused(`Build ${id} takes all tasks already.`)
  await announceBuild(deployment.em, id)
  await deployment.gateway.ramp(id, percent)
  return `Build ${id} takes ${percent} % of the tasks. What its workflow code brings newly stays off until it is promoted.`
}

/** Gives a build all tasks, and lets it use its patches; may be repeated. Throws {@link RollOutRefused}. */
export async function promote(deployment: Deployment, wanted: string | undefined): Promise<string> {
  const { id, state } = buildToPromote(await readRollOut(deployment), wanted)
  await failpoint('promote.before_temporal')
  // A build that is current already may have been left in the middle of this.
  if (state !== 'current') await deployment.gateway.promote(id)
  await failpoint('promote.before_ledger')
  // Only now: as long as another build takes tasks too, none of them may meet a patch that it does not know.
  await promoteBuild(deployment.em, id)
  await failpoint('promote.after_ledger')
  return `Build ${id} takes all tasks, and what its workflow code brings newly is on.`
}

/**
 * Gives the tasks back to the build that had them before; may be repeated. Throws {@link RollOutRefused}.
 *
 * @param wanted as for {@link buildToGoBackTo}
 */
export async function goBack(deployment: Deployment, wanted: string | undefined): Promise<string> {
  const { em, gateway } = deployment
  const { from, to } = buildToGoBackTo(await readRollOut(deployment), wanted)
  if (from === null) return `Build ${to.id} takes all tasks already.`
  if (from.state === 'ramping') {
    await failpoint('back.before_temporal')
    await gateway.ramp(null, 0)
    await failpoint('back.after_temporal')
    return `Build ${to.id} takes all tasks again; ${from.id} takes none.`
  }
  await failpoint('back.before_ledger')
  const unknown = await withdrawBuild(em, from.id, to.id)
  if (unknown.length > 0)
    throw new RollOutRefused(
      `Workflows have gone ways that build ${to.id} does not know (${unknown.join(', ')}): it could not follow their histories, and their exits would not be sent. Mend build ${from.id} by a newer one.`,
    )
  await failpoint('back.before_temporal')
  await gateway.promote(to.id)
  await failpoint('back.after_temporal')
  return `Build ${to.id} takes all tasks again; ${from.id} takes none, and its patches are off.`
}
