// The page of those who run a study: tasks, people, invitations, uploads; it keeps itself up to date.
import { get, path } from "./api.js";
import { invitationsSection } from "./admin_invitations.js";
import { peopleSection } from "./admin_people.js";
import { tasksSection } from "./admin_tasks.js";
import { uploadsSection } from "./admin_uploads.js";
import { attempts, freshness, openDesk } from "./desk.js";
import { fill } from "./dom.js";
import { isNumber } from "./drawing.js";
import { frame } from "./frame.js";
import { keepFresh } from "./live.js";
import { say } from "./words.js";

const SECONDS = 4;
const sum = (values) => values.reduce((total, value) => total + value, 0);

await openDesk("admin", async (person, main) => {
  frame({ person, title: say("desk.title") });
  const fresh = freshness();
  const changed = () => soon();
  const { node, attempt } = attempts(changed);
  const tasks = tasksSection({ attempt });
  const people = peopleSection({ attempt, self: person.id });
  const invitations = invitationsSection({ attempt });
  fill(main, fresh.node, node, tasks.node, people.node, invitations.node, uploadsSection({ changed }));

  async function refresh() {
    const [listed, everybody, invited] = await Promise.all([get("/api/tasks"), get("/api/people"), get("/api/invitations")]);
    const progress = await Promise.all(listed.map((task) => get(path("api", "tasks", task.name, "progress"))));
    tasks.show(listed.map((task, index) => ({ ...task, overall: progress[index] })));
    people.show(everybody.map((one) => together(one, listed, progress)));
    invitations.show(invited);
  }
  const soon = keepFresh(refresh, { seconds: SECONDS, told: fresh.told });
  await soon();
});

/** A person with the progress, speed and flags of all tasks. */
function together(person, tasks, progress) {
  const shares = progress.flatMap((task, index) =>
    task.people.filter((one) => one.person === person.id).map((one) => ({ ...one, task: tasks[index].name })));
  const timed = shares.filter((one) => isNumber(one.seconds) && one.done);
  const done = sum(shares.map((one) => one.done));
  return {
    ...person,
    done,
    total: sum(shares.map((one) => one.total)),
    seconds: timed.length ? sum(timed.map((one) => one.seconds * one.done)) / sum(timed.map((one) => one.done)) : null,
    flags: shares.flatMap((one) => one.flags.map((flag) => ({ ...flag, task: one.task }))),
  };
}
