import type { Client } from '@temporalio/client'
import type { WorkerOptions } from '@temporalio/worker'
import { BUILD_ID } from '#config/build-id.ts'
import type { WorkerSettings } from '#config/env.ts'
import type { Logger } from '#config/logger.ts'
import { periodically, type Part } from '#config/periodically.ts'
import { GRPC_NOT_FOUND } from '#config/temporal-address.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { announceBuild, canFollow, promoteBuild, usePatch, workersByBuild } from '#db/watch/worker-builds.ts'
import { Absences } from './absences.ts'
import { PatchSwitch } from './patch-switch.ts'

type Deployment = Pick<WorkerSettings, 'WORKER_VERSIONING' | 'WORKER_DEPLOYMENT'>

/**
 * How Temporal sends tasks to this build: to whichever build is current or ramps, also tasks of workflows that another one
 * began. Without WORKER_VERSIONING tasks go to any worker, and histories name the build that did each one.
 */
export const deploymentOptions = (
  { WORKER_VERSIONING, WORKER_DEPLOYMENT }: Deployment,
  em: EntityManager,
  log: Logger,
): Pick<WorkerOptions, 'buildId' | 'workerDeploymentOptions' | 'patchActivationCallback'> =>
  WORKER_VERSIONING === 'off'
    ? // The SDK's own is a checksum of 91 characters, once or twice in each workflow task of a history.
      // oxlint-disable-next-line typescript/no-deprecated -- what is deprecated is the versioning by it, which stays off
      { buildId: BUILD_ID }
    : {
        workerDeploymentOptions: {
          useWorkerVersioning: true,
          version: { deploymentName: WORKER_DEPLOYMENT, buildId: BUILD_ID },
          defaultVersioningBehavior: 'AUTO_UPGRADE',
        },
        patchActivationCallback: new PatchSwitch((patchId) => usePatch(em.fork(), BUILD_ID, patchId), log)
          .isOn,
      }

/** Milliseconds between two looks at the deployment while something may have to be done, and while nothing has. */
const DEPLOYMENT_LOOK_EVERY_MS = 1_000
const LOOK_SETTLED_EVERY = 10_000
/** Milliseconds for which a current build has no worker before another build stands in for it. */
const STAND_IN_AFTER = 60_000

interface Own {
  client: Client
  em: EntityManager
  settings: Deployment & Pick<WorkerSettings, 'TEMPORAL_TASK_QUEUE'>
  log: Logger
}

/**
 * Sees to it that signals never wait for a promotion that nobody makes. The first build of a new deployment
 * takes all tasks, for there is none to go back to. And when the current build has had no worker for a minute, as where all
 * workers were replaced at once, this build takes its tasks, with its patches off until it is promoted.
 */
export function deploymentKeeper(own: Own): Part {
  // Of every build: which one will be current at the next look is not known.
  const absences = new Absences(LOOK_SETTLED_EVERY)
  async function look(): Promise<number> {
    const workers = await workersByBuild(own.em.fork(), own.settings.TEMPORAL_TASK_QUEUE)
    absences.found(workers.keys())
    const routing = await readRouting(own)
    if (routing === null) return DEPLOYMENT_LOOK_EVERY_MS
    const { current, conflictToken } = routing
    if (current === null) {
      await beFirst(own, conflictToken)
      return DEPLOYMENT_LOOK_EVERY_MS
    }
    if (current === BUILD_ID || workers.has(current) || !(await canFollow(own.em.fork(), BUILD_ID)))
      return LOOK_SETTLED_EVERY
    if (absences.of(current) >= STAND_IN_AFTER) await standIn(own, current, conflictToken)
    return DEPLOYMENT_LOOK_EVERY_MS
  }
  return periodically('look at the deployment', DEPLOYMENT_LOOK_EVERY_MS, look, own.log)
}

interface Routing {
  /** The current build; null where none is. */
  current: string | null
  conflictToken: Uint8Array
}

/** Null while Temporal does not know the deployment: until a worker of it has asked for tasks. */
async function readRouting({ client, settings }: Own): Promise<Routing | null> {
  const { namespace } = client.options
  const deployment = await client.workflowService
    .describeWorkerDeployment({ namespace, deploymentName: settings.WORKER_DEPLOYMENT })
    .catch((error: unknown) => {
      if ((error as { code?: number }).code === GRPC_NOT_FOUND) return null
      throw error
    })
  if (deployment === null) return null
  const { workerDeploymentInfo, conflictToken } = deployment
  return {
    current: workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId || null,
    conflictToken,
  }
}

async function beFirst(own: Own, conflictToken: Uint8Array): Promise<void> {
  await takeTasks(own, conflictToken)
  // Of two builds that begin at once only the one that Temporal has made current gets here.
  await promoteBuild(own.em.fork(), BUILD_ID)
  own.log.info(
    { deploymentName: own.settings.WORKER_DEPLOYMENT, buildId: BUILD_ID },
    'the first build of the deployment takes all tasks',
  )
}

async function standIn(own: Own, current: string, conflictToken: Uint8Array): Promise<void> {
  await takeTasks(own, conflictToken)
  own.log.warn(
    { buildId: BUILD_ID, instead: current },
    'the current build has no workers: this one takes its tasks, and what its workflows bring newly is off',
  )
}

/** @param conflictToken of the look that this follows from: of two workers that do the same one is refused */
async function takeTasks({ client, em, settings }: Own, conflictToken: Uint8Array): Promise<void> {
  await client.workflowService.setWorkerDeploymentCurrentVersion({
    namespace: client.options.namespace,
    deploymentName: settings.WORKER_DEPLOYMENT,
    buildId: BUILD_ID,
    conflictToken,
  })
  // A build that was announced before counts as one that may be older, and would not try again if this had failed.
  await announceBuild(em.fork(), BUILD_ID)
}
