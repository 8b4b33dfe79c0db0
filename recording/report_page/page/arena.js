// The arena from above: robots, their ways and what they see.

const LAYERS = [
  ["game", "game", true], ["lidar", "LiDAR", false], ["camera", "camera", true], ["trails", "trails", true], ["believed", "believed poses", false],
];
const FRESH_MS = 500;
// Length of the cone of a camera of which nothing says how far it sees.
const CONE_M = 1.3;
const TRAIL_MS = 8000;
const ECHO_MS = 4000;

class Arena extends MapView {
  constructor(canvas, header, robots) {
    super(canvas, header, robots);
    this.shows = new Shows(header.shows);
    this.layers = Object.fromEntries(LAYERS.map(([name, , on]) => [name, on]));
  }

  draw(now) {
    this.now = now;
    this.drawGround();
    const shown = this.layers.game ? this.game.at(now) : [];
    const between = (low, high) => this.pen.draw(shown.filter(({ layer }) => layer >= low && layer < high));
    between(-Infinity, LAYER.robots);
    const poses = this.robots.map((robot) => poseAt(robot.track, now));
    this.robots.forEach((robot, number) => {
      if (this.layers.trails) this.trail(robot, number, now);
    });
    this.robots.forEach((robot, number) => {
      if (this.layers.camera && poses[number]) this.camera(robot, number, poses[number], now);
    });
    this.robots.forEach((robot, number) => {
      if (this.layers.lidar) this.scan(robot, number, now);
    });
    between(LAYER.robots, LAYER.labels);
    this.robots.forEach((robot, number) => {
      const believed = robot.believed && poseAt(robot.believed, now);
      if (this.layers.believed && believed) this.shadow(number, believed, robot.radius);
      if (poses[number]) this.body(robot, number, poses[number], this.isAbove(number, poses), now);
    });
    between(LAYER.labels, Infinity);
    for (const label of this.waiting) this.label(label);
  }

  trail(robot, number, now) {
    const context = this.context;
    const { t, x, y } = robot.track;
    const newest = before(t, now);
    if (newest < 0) return;
    const fresh = Math.max(before(t, now - TRAIL_MS), 0);
    context.strokeStyle = robotColour(number);
    context.lineJoin = context.lineCap = "round";
    for (const [begin, end, alpha, width] of [[0, fresh, 0.28, 1.6], [fresh, newest, 0.85, 2.6]]) {
      context.globalAlpha = alpha;
      context.lineWidth = width;
      context.beginPath();
      let [fromX, fromY] = this.px(x[begin], y[begin]);
      context.moveTo(fromX, fromY);
      for (let index = begin + 1; index <= end; index++) {
        const [toX, toY] = this.px(x[index], y[index]);
        if (index < end && Math.abs(toX - fromX) + Math.abs(toY - fromY) < 1) continue;
        context.lineTo(toX, toY);
        fromX = toX;
        fromY = toY;
      }
      if (end === newest) {
        const pose = poseAt(robot.track, now);
        context.lineTo(...this.px(pose.x, pose.y));
      }
      context.stroke();
    }
    context.globalAlpha = 1;
    context.beginPath();
    context.arc(...this.px(x[0], y[0]), 4, 0, 2 * Math.PI);
    context.fillStyle = colour("--card");
    context.fill();
    context.lineWidth = 1.6;
    context.stroke();
  }

  camera(robot, number, pose, now) {
    const { detections, camera } = robot;
    const image = before(detections.t, now);
    if (image < 0) return;
    const context = this.context;
    const eye = eyeOf(robot, pose, now);
    const boxes = now - detections.t[image] <= FRESH_MS ? detections.count[image] : 0;
    context.beginPath();
    context.moveTo(...this.px(eye.x, eye.y));
    context.arc(...this.px(eye.x, eye.y), (camera.reach ?? CONE_M) * this.scale, -eye.yaw - camera.hfov / 2, -eye.yaw + camera.hfov / 2);
    context.closePath();
    context.fillStyle = context.strokeStyle = robotColour(number);
    context.globalAlpha = boxes ? 0.16 : 0.07;
    context.fill();
    context.globalAlpha = boxes ? 0.7 : 0.3;
    context.lineWidth = 1;
    context.stroke();
    context.globalAlpha = 1;
    const then = poseAt(robot.track, detections.measured[image]);
    for (let box = detections.first[image]; box < detections.first[image] + boxes; box++) {
      this.detection(robot, number, then, image, box);
    }
  }

  // From where the robot was when the picture was taken.
  detection(robot, number, pose, image, box) {
    const { context } = this;
    const { detections } = robot;
    const eye = eyeOf(robot, pose, detections.measured[image]);
    const away = detections.range[box];
    const from = Number.isNaN(away) ? eye : pose;
    const angle = from.yaw + detections.bearing[box];
    const reach = Number.isNaN(away) ? CONE_M : away;
    const [x, y] = this.px(from.x + reach * Math.cos(angle), from.y + reach * Math.sin(angle));
    context.strokeStyle = robotColour(number);
    context.lineWidth = 1.4;
    context.setLineDash([2, 4]);
    context.beginPath();
    context.moveTo(...this.px(eye.x, eye.y));
    context.lineTo(x, y);
    context.stroke();
    context.setLineDash([]);
    if (!Number.isNaN(away)) {
      const size = Math.max(robot.camera.sign * this.scale, 8);
      context.lineWidth = 2;
      context.strokeRect(x - size / 2, y - size / 2, size, size);
    }
    const label = `${robot.texts[detections.label[box]]} ${detections.confidence[box].toFixed(2)}`;
    this.waiting.push({ text: label, x, y, away: Math.max(0.26 * this.scale, 16), font: "12px", above: true });
  }

  // The newest scan, and where nothing else tells of the world, those before it.
  scan(robot, number, now) {
    const { scans } = robot;
    const newest = before(scans.t, now);
    if (newest < 0) return;
    this.context.fillStyle = robotColour(number);
    if (!this.world.length) {
      this.context.globalAlpha = 0.18;
      for (let index = before(scans.t, now - ECHO_MS) + 1; index < newest; index++) this.points(robot, index, 2);
    }
    this.context.globalAlpha = 0.8;
    if (now - scans.t[newest] <= 2 * FRESH_MS) this.points(robot, newest, 2.6);
    this.context.globalAlpha = 1;
  }

  points(robot, index, size) {
    for (const point of scanPoints(robot.scans, robot.track, index)) {
      const [x, y] = this.px(point[0], point[1]);
      this.context.fillRect(x - size / 2, y - size / 2, size, size);
    }
  }

  shadow(number, pose, radius) {
    const { context } = this;
    context.strokeStyle = robotColour(number);
    context.lineWidth = 1.2;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.arc(...this.px(pose.x, pose.y), radius * this.scale, 0, 2 * Math.PI);
    context.moveTo(...this.px(pose.x, pose.y));
    context.lineTo(...this.px(pose.x + radius * Math.cos(pose.yaw), pose.y + radius * Math.sin(pose.yaw)));
    context.stroke();
    context.setLineDash([]);
  }

  // The hull, a nose in the direction of travel, and the sign: a card box that shows whose it is.
  body(robot, number, pose, above, now) {
    const { context } = this;
    const own = robotColour(number);
    const radius = Math.max(robot.radius * this.scale, 7);
    const [x, y] = this.px(pose.x, pose.y);
    const age = now - robot.track.t[pose.index];
    context.save();
    if (isOld(age)) context.globalAlpha = 0.45;
    context.translate(x, y);
    context.rotate(-pose.yaw);
    context.beginPath();
    context.arc(0, 0, radius, 0, 2 * Math.PI);
    context.fillStyle = robot.colour || colour("--card");
    context.fill();
    if (!robot.colour) {
      context.globalAlpha *= 0.3;
      context.fillStyle = own;
      context.fill();
      context.globalAlpha /= 0.3;
    }
    context.lineWidth = 2;
    context.strokeStyle = own;
    context.stroke();
    context.beginPath();
    context.moveTo(radius * 1.3, 0);
    context.lineTo(radius * 0.86, radius * 0.36);
    context.lineTo(radius * 0.86, -radius * 0.36);
    context.closePath();
    context.fillStyle = own;
    context.fill();
    const aim = aimOf(robot, now);
    if (aim !== null) this.barrel(radius, aim);
    const half = radius * 0.5;
    context.fillStyle = own;
    context.fillRect(-half, -half, 2 * half, 2 * half);
    context.restore();
    const lit = this.shows.ring(number, now);
    if (lit) this.lights(x, y, radius, pose.yaw, lit);
    const bump = robot.bumpers.t.length ? before(robot.bumpers.t, now) : -1;
    if (bump >= 0 && robot.bumpers.text[bump]) this.ring(x, y, radius + 5);
    context.fillStyle = inkOn(own);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = `700 ${Math.max(radius * 0.62, 8)}px system-ui, sans-serif`;
    context.fillText([...(robot.role || robot.name)].slice(0, 1).join("").toUpperCase(), x, y + 0.5);
    context.textBaseline = "alphabetic";
    this.taken.push([x - radius, y - radius, x + radius, y + radius]);
    this.waiting.unshift({ text: aged(robot.name, age), x, y, away: radius + 14, font: "600 13px", above });
  }

  // Where the turret points, from the hull's middle outwards.
  barrel(radius, yaw) {
    const { context } = this;
    context.beginPath();
    context.moveTo(0, 0);
    context.lineTo(radius * 1.6 * Math.cos(yaw), -radius * 1.6 * Math.sin(yaw));
    context.lineWidth = 4;
    context.strokeStyle = colour("--ink");
    context.stroke();
  }

  // The ring's six lights, from the nose on to the left; what is dark is seen as a gap.
  lights(x, y, radius, yaw, colours) {
    const { context } = this;
    context.lineWidth = Math.max(radius * 0.3, 4);
    colours.forEach((own, led) => {
      const middle = -yaw - (led + 0.5) * Math.PI / 3;
      context.beginPath();
      context.arc(x, y, radius - context.lineWidth / 2, middle - 0.46, middle + 0.46);
      context.strokeStyle = own === "#000000" ? colour("--grid") : own;
      context.stroke();
    });
  }

  ring(x, y, radius) {
    const { context } = this;
    context.strokeStyle = colour("--gold");
    context.lineWidth = 4;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }

  // Names stand on the sides that look away from each other.
  isAbove(number, poses) {
    const own = poses[number];
    let nearest = null;
    poses.forEach((pose, other) => {
      if (other === number || !pose) return;
      const away = Math.hypot(pose.x - own.x, pose.y - own.y);
      if (!nearest || away < nearest.away) nearest = { away, above: own.y > pose.y || (own.y === pose.y && number < other) };
    });
    return Boolean(nearest && nearest.above);
  }
}

// Where the turret points at an instant, rad from ahead; null without one.
function aimOf({ sensors: { turret } }, now) {
  const newest = turret ? before(turret.columns.t, now) : -1;
  return newest < 0 ? null : turret.columns.yaw[newest];
}

// The camera, which turns with the turret where there is one.
function eyeOf(robot, pose, now) {
  const yaw = pose.yaw + (aimOf(robot, now) ?? 0);
  return { x: pose.x + robot.camera.x * Math.cos(yaw), y: pose.y + robot.camera.x * Math.sin(yaw), yaw };
}
