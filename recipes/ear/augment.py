"""Augmented training rows of the ear: cut, stretched, put into rooms, phones, noise and music, and labelled for it.

Every row is one clip, or two of one speaker in sequence, at a random speed, through a random microphone. A recording
condition is sampled for each row and applied; it is the row's label. Rooms, noises and music come from banks that the
caller fills. Rows are made once, many for every clip, and then shared by all networks that are trained at the same
time.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from aptone.ear.network.filter_bank import RATE, frame_centres, frame_count
from recipes.ear.clip_bank import HOP, Bank
from recipes.ear.filter_bank import LEVEL, WARPS, filter_bank, speech_level

NORMAL, PHONE, FAR, INTERMITTENT, NOISY = range(5)
SAME_SIZE = 0.05
"""Largest change of speed at which a voice keeps its apparent size."""


@dataclass(frozen=True, slots=True)
class AugmentSettings:
    """Strength of the augmentation.

    Args:
        seconds: length of a row.
        stretch: largest change of speed.
        condition: share of rows with another condition than normal.
        equalise: standard deviation of the random microphone's response in dB.
        tilt: standard deviation of its slope in dB per octave.
        join: share of rows that are two clips in sequence.
        strange: share of rows sped up or slowed down beyond an adult voice.
        warp: largest change of the frequency scale at the same tempo; see `recipes.ear.filter_bank.warped_bands`.
        gate: share of rows with digital silence between the words, as from a noise gate or a synthesiser.
        event: share of rows with a sound event under the speech.
        music: share of rows with music under the speech.
    """

    seconds: float = 3.5
    stretch: float = 0.15
    condition: float = 0.35
    equalise: float = 3.0
    tilt: float = 1.0
    join: float = 0.2
    strange: float = 0.05
    warp: float = 0.16
    gate: float = 0.15
    event: float = 0.1
    music: float = 0.1


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows and their labels.

    Args:
        frames: output of the network's stem, [rows, frames, 256], half precision.
        statistics: statistics of the filter bank, [rows, 320].
        speech, present: 1 for a frame of speech, or of any sound, [rows, frames].
        part: clip of a frame, 0 or 1, [rows, frames].
        first, second: index of the two clips, [rows]; the same twice for a row of one clip.
        condition: applied condition; known: 0 if something else makes that label doubtful.
        adult: 1 if the voice is no higher or lower than adults' are.
        sized: 1 if it is nearly as high and as large as recorded: speed changes what men and women differ in.
        music: 1 if there is music.
        sounds: index of the sound event in a frame, or -1, [rows, frames].
    """

    frames: Tensor
    statistics: Tensor
    speech: Tensor
    present: Tensor
    part: Tensor
    first: Tensor
    second: Tensor
    condition: Tensor
    known: Tensor
    adult: Tensor
    sized: Tensor
    music: Tensor
    sounds: Tensor

    @classmethod
    def joined(cls, pieces: "list[Rows]") -> "Rows":
        """Concatenate several sets of rows."""
        return cls(*(torch.cat([getattr(piece, field.name) for piece in pieces]) for field in fields(cls)))


class Augment:
    """Factory of rows from clip indices."""

    def __init__(
        self,
        settings: AugmentSettings,
        clips: Bank,
        sound: Tensor,
        *,
        rooms_near: Tensor,
        rooms_far: Tensor,
        noises: Bank,
        music: Bank,
        events: Tensor,
        stem: Callable[[Tensor, Tensor], Tensor],
    ) -> None:
        device = clips.samples.device
        self.settings, self.bank, self.sound = settings, clips, sound
        self.noises, self.music, self.events, self.stem = noises, music, events, stem
        self.length = int(settings.seconds * RATE)
        self.size = self.length + RATE
        self.rooms_near = torch.fft.rfft(rooms_near.float(), self.size)
        self.rooms_far = torch.fft.rfft(rooms_far.float(), self.size)
        self.frequency = torch.fft.rfftfreq(self.size, 1 / RATE, device=device)
        self.centres = torch.from_numpy(frame_centres(frame_count(self.length))).to(device)
        self.device = device

    def __call__(self, first: Tensor, second: Tensor) -> Rows:
        """Return one row for each pair of clips; in rows of one clip, the second is ignored."""
        chosen = self.settings
        rows, device = first.shape[0], self.device
        own_voice = torch.rand(rows, device=device) >= chosen.strange
        speed = 1 + chosen.stretch * (2 * torch.rand(rows, device=device) - 1)
        high = torch.rand(rows, device=device) < 0.7
        draw = torch.rand(rows, device=device)
        speed = torch.where(own_voice, speed, torch.where(high, 1.3 + 0.35 * draw, 0.6 + 0.15 * draw))
        joined = torch.rand(rows, device=device) < chosen.join
        second = torch.where(joined, second, first)
        cut = torch.where(joined, ((0.3 + 0.4 * torch.rand(rows, device=device)) * self.length).long(), self.length)
        wave, active, present, part = self._cut(first, second, cut, speed)
        sounds = torch.where(part == 0, self.sound[first][:, None], self.sound[second][:, None])
        speech = torch.where(sounds < 0, active, 0.0)
        sounds = torch.where(active > 0, sounds, -1)
        wave, sounds, crowded = self._add_event(wave, present, sounds, self.sound[first] < 0)
        wave, condition, music = self._degrade(wave, speech, present)
        # With music or another sound beside the speech, normal, far and noisy are a matter of taste.
        clear = ~crowded & (music == 0) & (self.sound[first] < 0)
        known = (clear | (condition == PHONE) | (condition == INTERMITTENT)).float()
        warp = None
        warped = torch.zeros(rows, device=device)
        if chosen.warp:
            warp = torch.randint(WARPS, (rows,), device=device)
            warp = torch.where(torch.rand(rows, device=device) < 0.3, WARPS // 2, warp)
            warped = (warp - WARPS // 2).abs() * chosen.warp / (WARPS // 2)
        energies, statistics = filter_bank(wave, speech, present, warp=warp, largest_warp=chosen.warp)
        return Rows(
            frames=self.stem(energies, present).half(),
            statistics=statistics.half(),
            speech=speech.half(),
            present=present.half(),
            part=part.to(torch.uint8),
            first=first,
            second=second,
            condition=condition,
            known=known,
            adult=own_voice.float(),
            sized=((speed - 1).abs() + warped < SAME_SIZE).float(),
            music=music,
            sounds=sounds.to(torch.int8),
        )

    def _cut(self, first: Tensor, second: Tensor, cut: Tensor, speed: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return samples, speech and presence of each row per output frame, and the clip of each frame."""
        bank, device = self.bank, self.device
        rows = first.shape[0]
        offset_one = self._offset(first, cut, speed)
        offset_two = self._offset(second, self.length - cut, speed)
        time = torch.arange(self.length, device=device)
        is_first = time < cut[:, None]
        clip = torch.where(is_first, first[:, None], second[:, None])
        position = torch.where(
            is_first,
            offset_one[:, None] + time * speed[:, None],
            offset_two[:, None] + (time - cut[:, None]) * speed[:, None],
        )
        inside = (position >= 0) & (position < bank.length[clip] - 1)
        whole = position.clamp_min(0).floor()
        index = torch.where(inside, bank.start[clip] + whole.long(), 0)
        part = position - whole
        wave = torch.where(inside, bank.samples[index] * (1 - part) + bank.samples[index + 1] * part, 0.0).float()
        centres = self.centres
        middle = index[:, centres]
        active = torch.where(inside[:, centres], bank.speech[middle // HOP].float(), 0.0)
        # A detector misses frames and invents some: neither may matter.
        flips = torch.rand(rows, active.shape[1], device=device)
        active = torch.where(inside[:, centres] & (flips < 0.03), 1 - active, active)
        end = torch.where(inside, time, 0).amax(dim=1) + 0.3 * RATE * torch.rand(rows, device=device)
        present = (centres <= end[:, None]).float()
        return wave, active * present, present, (centres >= cut[:, None]).long()

    def _offset(self, clip: Tensor, room: Tensor, speed: Tensor) -> Tensor:
        """Return the first sample of a row: one from which the row is full of speech, or a little before the speech."""
        bank = self.bank
        spoken = (bank.last - bank.first)[clip] / speed
        slack = room - spoken
        draw = torch.rand(clip.shape[0], device=self.device)
        before = draw * slack.clamp(0, 0.4 * RATE)
        into = draw * (-slack).clamp_min(0)
        return bank.first[clip] + (into - before) * speed

    def _draw(self, bank: Bank, which: Tensor) -> tuple[Tensor, Tensor]:
        """Return samples and activity of one clip of a bank per row, from a random position, repeated as needed."""
        time = torch.arange(self.length, device=self.device)
        offset = (torch.rand(which.shape[0], device=self.device) * bank.length[which]).long()
        position = (offset[:, None] + time) % bank.length[which][:, None]
        index = bank.start[which][:, None] + position
        return bank.samples[index].float(), bank.speech[index[:, self.centres] // HOP].float()

    def _add_event(self, wave: Tensor, present: Tensor, sounds: Tensor, free: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows, device = wave.shape[0], self.device
        if self.events.numel() == 0:
            return wave, sounds, torch.zeros_like(free)
        which = self.events[torch.randint(self.events.numel(), (rows,), device=device)]
        event, active = self._draw(self.bank, which)
        add = free & (torch.rand(rows, device=device) < self.settings.event)
        level = _rms(wave) / _rms(event).clamp_min(1e-4) * 10 ** ((20 * torch.rand(rows, device=device) - 12) / 20)
        wave = wave + torch.where(add, level, 0.0)[:, None] * event
        heard = add[:, None] & (active > 0) & (present > 0)
        return wave, torch.where(heard, self.sound[which][:, None], sounds), add

    def _degrade(self, wave: Tensor, speech: Tensor, present: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Apply room, noise, music, microphone, telephone and loss; return the condition and a flag for music."""
        chosen, device, rows = self.settings, self.device, wave.shape[0]

        def uniform(low: float, high: float) -> Tensor:
            return low + (high - low) * torch.rand(rows, device=device)

        other = 1 + torch.randint(4, (rows,), device=device)
        condition = torch.where(torch.rand(rows, device=device) < chosen.condition, other, NORMAL)
        is_phone, is_far, is_noisy, is_lossy = (condition == kind for kind in (PHONE, FAR, NOISY, INTERMITTENT))

        spectrum = torch.fft.rfft(wave, self.size)
        near = self.rooms_near[torch.randint(len(self.rooms_near), (rows,), device=device)]
        far = self.rooms_far[torch.randint(len(self.rooms_far), (rows,), device=device)]
        plain = torch.rand(rows, device=device) < 0.6
        room = torch.where(is_far[:, None], far, torch.where(plain[:, None], torch.ones_like(near), near))
        spectrum = spectrum * room

        loud = speech_level(torch.fft.irfft(spectrum, self.size)[:, : self.length], speech, present)
        gated = (torch.rand(rows, device=device) < chosen.gate) & ~is_far & ~is_noisy
        ratio = torch.where(is_noisy, uniform(-1, 16), torch.where(is_far | is_phone, uniform(18, 50), uniform(24, 60)))
        noise = torch.fft.rfft(self._noise(rows), self.size)
        slope = (self.frequency.clamp_min(50) / 1000)[None, :] ** (-uniform(-0.2, 1.0)[:, None] / 2)
        real = torch.rand(rows, device=device) < 0.5
        noise = torch.where(real[:, None], noise, torch.fft.rfft(self._made_noise(rows), self.size) * slope)
        noise_wave = torch.fft.irfft(noise, self.size)[:, : self.length]
        noise_gain = loud / _rms(noise_wave).clamp_min(1e-5) * 10 ** (-ratio / 20)
        noise_gain = torch.where(gated, 0.0, noise_gain)
        tune, _ = self._draw(self.music, torch.randint(len(self.music.start), (rows,), device=device))
        has_music = torch.rand(rows, device=device) < chosen.music
        tune_gain = torch.where(has_music, loud / _rms(tune).clamp_min(1e-4) * 10 ** (uniform(-22, 3) / 20), 0.0)
        added = noise_gain[:, None] * noise_wave + tune_gain[:, None] * tune
        spectrum = spectrum + torch.fft.rfft(added, self.size)

        spectrum = spectrum * self._microphone(rows) * self._telephone(rows, is_phone)
        wave = torch.fft.irfft(spectrum, self.size)[:, : self.length]
        wave = wave / speech_level(wave, speech, present)[:, None] * LEVEL
        quietest = LEVEL * 10 ** (-uniform(25, 50) / 20)
        wave = torch.where(gated[:, None], _gated(wave, quietest), wave)
        coarse = is_phone & (torch.rand(rows, device=device) < 0.5)
        wave = torch.where(coarse[:, None], _companded(wave, uniform(4.5, 8)), wave)
        drive = torch.where(torch.rand(rows, device=device) < 0.08, uniform(0.12, 0.4), 4.0)[:, None]
        wave = wave.clamp(-drive, drive)
        wave = torch.where(is_lossy[:, None], wave * self._losses(rows), wave)
        return wave, condition, has_music.float()

    def _noise(self, rows: int) -> Tensor:
        which = torch.randint(len(self.noises.start), (rows,), device=self.device)
        return self._draw(self.noises, which)[0]

    def _made_noise(self, rows: int) -> Tensor:
        """Return white noise; in a third of the rows it swells and fades like many voices."""
        white = torch.randn(rows, self.length, device=self.device)
        steps = torch.rand(rows, 1, self.length // 2000, device=self.device)
        swell = torch.nn.functional.interpolate(steps, size=self.length, mode="linear").squeeze(1)
        return torch.where(torch.rand(rows, 1, device=self.device) < 0.33, white * swell, white)

    def _microphone(self, rows: int) -> Tensor:
        """Return a smooth random response: eight knots on a logarithmic scale, and a slope."""
        knots = torch.randn(rows, 1, 8, device=self.device) * self.settings.equalise
        position = (torch.log2(self.frequency.clamp_min(60) / 60) / math.log2(8000 / 60)).clamp(0, 1) * 7
        low = position.floor().clamp_max(6).long()
        part = position - low
        knots = knots.squeeze(1)
        curve = knots[:, low] * (1 - part) + knots[:, low + 1] * part
        slope = torch.randn(rows, 1, device=self.device) * self.settings.tilt
        decibels = curve + slope * torch.log2(self.frequency.clamp_min(100) / 1000)
        # Some recordings lack the highest band without being phone calls.
        edge = torch.where(
            torch.rand(rows, 1, device=self.device) < 0.2, 5200 + 2800 * torch.rand(rows, 1, device=self.device), 9000
        )
        return 10 ** (decibels / 20) * torch.sigmoid((edge - self.frequency) / 60)

    def _telephone(self, rows: int, is_phone: Tensor) -> Tensor:
        device = self.device
        low = torch.where(
            torch.rand(rows, 1, device=device) < 0.5,
            40 + 60 * torch.rand(rows, 1, device=device),
            150 + 250 * torch.rand(rows, 1, device=device),
        )
        high = 2900 + 1150 * torch.rand(rows, 1, device=device)
        steep = 15 + 50 * torch.rand(rows, 1, device=device)
        band = torch.sigmoid((self.frequency - low) / (steep / 2)) * torch.sigmoid((high - self.frequency) / steep)
        return torch.where(is_phone[:, None], band + 1e-3 * torch.rand(rows, 1, device=device) ** 3, 1.0)

    def _losses(self, rows: int) -> Tensor:
        """Return the gain of every sample with packets of 10 to 40 ms lost in bursts, between 4 and 35 % of them."""
        device = self.device
        packets = self.length // 160
        draws = torch.rand(rows, 4, packets, device=device)
        spans = (1, 3, 7, 13)
        tracks = torch.stack(
            [torch.nn.functional.avg_pool1d(draws[:, i : i + 1], k, 1, k // 2).squeeze(1) for i, k in enumerate(spans)],
            dim=1,
        )
        track = tracks.gather(1, torch.randint(4, (rows, 1, 1), device=device).expand(-1, 1, packets)).squeeze(1)
        share = 0.04 + 0.31 * torch.rand(rows, 1, device=device)
        order = track.argsort(dim=1).argsort(dim=1).float() / packets
        lost = (order < share).float()
        rest = torch.where(
            torch.rand(rows, 1, device=device) < 0.8, 0.0, 10 ** (-(20 + 30 * torch.rand(rows, 1, device=device)) / 20)
        )
        gain = 1 - lost * (1 - rest)
        return gain.repeat_interleave(160, dim=1)[:, : self.length]


def _rms(wave: Tensor) -> Tensor:
    return wave.square().mean(dim=1).sqrt()


def _gated(wave: Tensor, quietest: Tensor) -> Tensor:
    """Set everything to zero that is quieter than a level for 20 ms."""
    power = torch.nn.functional.avg_pool1d(wave.square()[:, None], 321, 1, 160).squeeze(1)
    return torch.where(power.sqrt() < quietest[:, None], 0.0, wave)


def _companded(wave: Tensor, bits: Tensor) -> Tensor:
    """Apply μ-law with fewer or more bits than the eight of G.711."""
    steps = (2**bits)[:, None] / 2
    compressed = torch.sign(wave) * torch.log1p(255 * wave.abs().clamp_max(1)) / math.log(256)
    coarse = torch.round(compressed * steps) / steps
    return torch.sign(coarse) * torch.expm1(coarse.abs() * math.log(256)) / 255
